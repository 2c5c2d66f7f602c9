// A job and its pods as a plan sees them: where each pod stands, whether it has to go, and the counts.
//
// A pod's place is (task, index), and its name must fit. Pods without a task in their annotations are not the job's
// business. What has to go, in this order:
//   leaving        is on its way out already
//   the job is over or ending, and the pod is alive           → Remove
//   of an earlier version and alive                           → Remove, in every phase
//   of an earlier version, finished, while the job restarts   → Remove, unless this restart keeps finished pods
//   marked for a restart that is counted, or out of sync      → Remove
//   marked for a restart that is not counted yet              → Marked: counting comes first
//   failed because its node was restarted (CachedPod::lost)   → Remove: it was evicted, its place is filled again
//   it has no place (scaled down)                             → MarkFirst, so that its end is no eviction
// Cost: O(pods), without allocating per pod.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include "control/volcano/controller_cache.h"
#include "control/volcano/job/expand/job_view.h"
#include "control/volcano/job/state/job_transition.h"

namespace basalt::volcano {

enum class PodDisposition : uint8_t { Keep, Leaving, Remove, Marked, MarkFirst };

struct TaskPod {
  static constexpr int32_t kNoTask = -1;

  const CachedPod* pod = nullptr;
  int32_t task = kNoTask;  // place in job.tasks
  PodDisposition disposition = PodDisposition::Keep;
  bool stale = false;  // of an earlier version of the job
};

struct TaskCounts {
  std::array<int64_t, 5> by_phase{};  // by PodPhase; without those that are leaving or lost
  std::array<int64_t, 5> staying{};   // of these, those that do not have to go
  int64_t ready = 0;                  // as other tasks' dependsOn counts

  [[nodiscard]] int64_t of(PodPhase phase) const { return by_phase[static_cast<size_t>(phase)]; }
  [[nodiscard]] int64_t staying_of(PodPhase phase) const { return staying[static_cast<size_t>(phase)]; }
};

struct JobSnapshot {
  // Requires: both outlive the snapshot.
  // `removed`: places in `pods` that have to go, whatever else is said of them.
  JobSnapshot(const text::Object& object, const JobPods& seen, const std::set<size_t>& removed = {});

  JobView job;
  JobPhase phase;
  const JobPods& seen;
  std::vector<TaskPod> pods;      // by name
  std::vector<TaskCounts> tasks;  // as job.tasks
  PodCounts counts;               // the truth, for the status
  PodCounts effective;            // as if everything that has to go were on its way

  [[nodiscard]] bool has(PodDisposition disposition) const;
  // transition() from here.
  [[nodiscard]] JobTransition next(JobAction action, const PodCounts& by) const;
};

// Is the pod called `name` pod `index` of the task? Without allocating.
[[nodiscard]] bool is_pod_of_task(const JobView& job, const TaskView& task, int64_t index, std::string_view name);

}  // namespace basalt::volcano
