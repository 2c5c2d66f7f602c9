// What happened to a job, read off its present state: which events its policies could be about.
//
//   PodFailed      a pod of the current version has failed
//   PodPending     … is Pending (policies need a timeout for it)
//   PodEvicted     … is gone though nobody here removed it, and its place is empty (JobPods::lost_pods), or it was lost
//                  with its node (CachedPod::lost), which is no failure
//   TaskCompleted  every place of a task has a pod that succeeded, at least one of them of the current version
//   TaskFailed     the containers of a task's pods restarted as often as the task allows
//   Unknown        the PodGroup says so
// A pod that was marked for a restart which is not counted yet still tells its event: who marked it may have stopped
// before it marked the others. Pods that have to go, are leaving (but for PodFailed), or lie beyond the job's size tell
// nothing.
// Order: by task, then index; the PodGroup's last. Cost: O(pods); nothing when the job has no policies.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "control/volcano/job/job_snapshot.h"

namespace basalt::volcano {

struct JobEvent {
  std::string_view event;
  int32_t task = TaskPod::kNoTask;  // place in job.tasks
  std::string_view pod, uid;        // "": of the task or job as a whole
  int32_t index = -1;
  int32_t partition = -1;
  int32_t exit_code = 0;
  Instant since;      // kNever: the state does not tell
  bool lost = false;  // the pod is gone

  // For people: "pod j-worker-0 failed with exit code 3".
  [[nodiscard]] std::string text(const JobView& job) const;
};

// `group`: the job's PodGroup, or null.
[[nodiscard]] std::vector<JobEvent> events_of(const JobSnapshot& snapshot, const text::Object* group);

}  // namespace basalt::volcano
