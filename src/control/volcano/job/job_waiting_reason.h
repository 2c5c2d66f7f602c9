// Why a job waits: one word and one sentence, from whoever knows it best. In this order:
//
//   what the job needs is not there   QueueMissing, PluginError, ClaimMissing, FailedCreate (MissingPart, by sync_job)
//   the API server refused a write    FailedCreate, PodGroupError, PVCError, PluginError (set_refusal)
//   nobody places its pods            SchedulerUnknown
//   the scheduler's word on its gang  the PodGroup's condition Waiting; in place of PodsMissing, WaitsForTask where a
//                                     task waits for others (dependsOn)
//   a placed pod cannot start         the waiting reason of its container: ErrImagePull, FailedMount, …
//   pods beyond the gang have no node Unschedulable
//
// While it waits, status.state has the reason and its sentence, and so has the entry of the present phase in
// status.conditions. Then all of them go; with them goes what an action said (why the job was restarted), once the job
// runs: status.conditions keeps that at the phase that the action led to. An event tells each new reason once; numbers
// that move within the sentence are written, not told.
// Cost: O(pods) where the gang does not run.
#pragma once

#include <string>

#include "control/volcano/job/job_pod_group.h"
#include "control/volcano/job/job_snapshot.h"
#include "control/volcano/job/job_status_change.h"
#include "control/volcano/volcano_controller.h"

namespace basalt::volcano {

// How long a pod may wait for a scheduler that the controllers do not know before the job says so.
inline constexpr Duration kUnknownSchedulerPatience = Duration::seconds(5);

struct JobWait {
  std::string reason, message;  // "": it does not wait
};

// Requires: no command is under way. `missing`: what sync_job found missing. `plan` has the writes of this round.
void set_waiting_reason(WritePlan& plan, const VolcanoContext& context, JobStatusDraft& draft,
                        const JobSnapshot& snapshot, const JobPodGroup& group, JobWait missing, Instant now);

// The reason by which refused writes of this kind are told, "FailedCreate" for pods; "": they are not.
[[nodiscard]] std::string_view refusal_reason(std::string_view plural);

// The status says that the last writes were refused and why. True: it has to be written first, and the plan is
// complete. The words stay until a plan has nothing left to make.
[[nodiscard]] bool set_refusal(WritePlan& plan, const VolcanoContext& context, const JobSnapshot& snapshot,
                               Instant now);

}  // namespace basalt::volcano
