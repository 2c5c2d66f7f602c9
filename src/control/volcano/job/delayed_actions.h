// Actions that wait for their time and that the pods that are there cannot tell of: an evicted pod is gone, a PodGroup
// does not say since when it is Unknown, restarts of containers have no date. They are kept as a list in an annotation
// of the Job (controller_annotations.h), so that a controller that starts later finds them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "control/volcano/job/expand/job_view.h"

namespace basalt::volcano {

inline constexpr size_t kMaxDelayedActions = 200;  // per job; further ones find the place of those that are over

struct DelayedAction {
  std::string event, task, pod, uid, action;  // pod and uid: of the pod that was evicted
  int32_t partition = -1;
  int64_t version = 0;  // of the job when it happened
  Instant at;           // when to act, in whole seconds

  friend bool operator==(const DelayedAction&, const DelayedAction&) = default;
};

// What is no list, or no entry, reads as nothing.
[[nodiscard]] std::vector<DelayedAction> delayed_actions(const JobView& job);
[[nodiscard]] std::string to_annotation(const std::vector<DelayedAction>& actions);  // "": none

}  // namespace basalt::volcano
