// Fills the empty places of a job with pods.
//
// A task that waits for others (dependsOn) waits; every other place without a pod gets one, at most kMaxPodsPerPlan in
// one plan: the next plan goes on. Cost: O(pods there + pods made).
#pragma once

#include <string>

#include "control/volcano/job/job_snapshot.h"
#include "control/volcano/volcano_controller.h"

namespace basalt::volcano {

inline constexpr int64_t kMaxPodsPerPlan = 1'000;

// How long until a name that was taken is tried again: nobody tells when it becomes free.
inline constexpr Duration kTakenNamePause = Duration::seconds(30);

// `forwarded`: the job's queue hands it to another cluster. Answers why some pods cannot be made at all, which a note
// tells too; "": none of them.
std::string create_pods(WritePlan& plan, const JobSnapshot& snapshot, bool forwarded, Instant now);

}  // namespace basalt::volcano
