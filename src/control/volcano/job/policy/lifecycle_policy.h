// Which action the policies of a job ask for when something happened, and after which delay.
//
// The first rule that applies: a request that carries an action (a command) gets it; events that are not for policies,
// requests of another job of the same name and those of pods of an earlier version get SyncJob; then the policies of
// the task, in their order, then those of the job; else SyncJob.
// A policy matches by event (`*` for every one; PodPending only when it has a timeout) or by exit code.
// Cost: O(policies); nothing is copied.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/instant.h"
#include "control/volcano/job/expand/job_view.h"

namespace basalt::volcano {

// Something that happened to a job, a task of it or a pod of it.
struct JobRequest {
  std::string_view event;    // "PodFailed"; "": none
  std::string_view action;   // of a command; "": none
  std::string_view job_uid;  // "": not told
  std::string_view task;     // "": the job as a whole
  int64_t exit_code = 0;
  int64_t job_version = 0;
};

struct PolicyDecision {
  std::string_view action;  // leads into the job or the request
  Duration delay;           // 0: at once
  friend bool operator==(const PolicyDecision&, const PolicyDecision&) = default;
};

[[nodiscard]] PolicyDecision resolve_policy(const JobView& job, const JobRequest& request);

// Does any policy of the job or of a task name this event (or `*`)? False: deriving it is not worth the while.
[[nodiscard]] bool has_policies(const JobView& job);

}  // namespace basalt::volcano
