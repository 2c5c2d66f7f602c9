// May the pods of a task be made now, or does it wait for the tasks it depends on (spec.tasks[].dependsOn)?
//
// Pure: the caller counts ready pods. A dependency is met when its ready pods reach its minAvailable, or its replicas
// where no minAvailable is written. With `iteration: any` and two or more names one met dependency is enough; otherwise
// all must be met. A dependency on a task that does not exist is never met; the reason names it (admission refuses
// such jobs).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "control/volcano/job/expand/job_view.h"

namespace basalt::volcano {

struct DependencyCheck {
  bool may_start = true;
  std::string waits_for;  // when it may not: "waits for task master: 0 of 1 pods ready"
};

// `ready` has a count of ready pods per task, in the order of job.tasks; missing ones count as 0.
[[nodiscard]] DependencyCheck may_start(const JobView& job, const TaskView& task, std::span<const int64_t> ready);

// Does the pod count as ready for those that depend on its task: Succeeded, or Running with every container ready?
[[nodiscard]] bool is_ready_for_dependents(const text::Object& pod);

}  // namespace basalt::volcano
