// Jobs that may take from others: what preempt and reclaim have in common before they look for victims.
#pragma once

#include <map>
#include <vector>

#include "actions/queue_of_jobs.h"
#include "actions/worksheet.h"
#include "engine/session.h"

namespace basalt::actions {

// Let in, valid and starving for resources.
bool may_take(const engine::Session& session, model::JobId job);

// The job's pending, ungated tasks in task order. Best-effort ones are included.
TaskLine preemptor_tasks(const engine::Session& session, model::JobId job);

// What a failed search can be reused for: the next task of the same class, as long as nothing was evicted or placed.
class FailedSearch {
 public:
  [[nodiscard]] bool covers(engine::Session& session, model::TaskId task) const;
  void remember(engine::Session& session, model::TaskId task);

 private:
  engine::ClassId cls_;
  uint64_t touches_ = 0;
};

}  // namespace basalt::actions
