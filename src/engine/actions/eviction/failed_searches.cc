#include "engine/actions/eviction/failed_searches.h"

namespace basalt::actions {

using model::TaskId;
using model::TaskStatus;

bool FailedSearches::covers(TaskId task) {
  forget_outdated();
  return !failed_.empty() && failed_.contains(key_of(task));
}

void FailedSearches::remember(TaskId task) {
  forget_outdated();
  failed_.insert(key_of(task));
}

void FailedSearches::forget_outdated() {
  const uint64_t now = session_.state.touches().end();
  if (touches_ != now) failed_.clear();
  touches_ = now;
}

// Everything by which a preemptor counts (VictimHook in hook_table.h).
const std::string& FailedSearches::key_of(TaskId id) {
  const model::Task& task = session_.state.task(id);
  const model::Job& job = session_.state.job(task.job);
  const bool holds_nothing = job.count(TaskStatus::Pending) == static_cast<int32_t>(job.tasks.size());
  scratch_.clear();
  scratch_.add(session_.memory.classes.class_of(session_.columns(), id));
  scratch_.add(job.queue_id);
  scratch_.add(holds_nothing ? model::JobId() : task.job);
  scratch_.add(static_cast<uint64_t>(job.priority));
  scratch_.add(static_cast<uint64_t>(task.priority));
  scratch_.add(uint64_t{task.preemptable} | uint64_t{task.revocable} << 1U | uint64_t{task.best_effort} << 2U);
  return scratch_.bytes();
}

}  // namespace basalt::actions
