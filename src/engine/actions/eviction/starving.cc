#include "engine/actions/eviction/starving.h"

namespace basalt::actions {

using engine::Session;
using model::JobId;
using model::TaskId;
using model::TaskStatus;

bool may_take(const Session& session, JobId job) {
  if (session.is_pending(job)) return false;
  if (session.state.job(job).count(TaskStatus::Pending) == 0) return false;
  return !session.job_invalid(job) && session.job_starving(job);
}

TaskQueue preemptor_tasks(const Session& session, JobId job) {
  std::vector<TaskId> tasks;
  for (const TaskId id : session.state.job(job).tasks) {
    const model::Task& task = session.state.task(id);
    if (task.status == TaskStatus::Pending && !task.gated) tasks.push_back(id);
  }
  session.sort_tasks(tasks);
  return TaskQueue(std::move(tasks));
}

bool left_to_allocate(const Session& session, const engine::Statement& statement, std::string_view action) {
  return !statement.evicts() && session.policy.runs_behind(action, "allocate");
}

void keep_or_discard(Session& session, engine::Statement& statement, JobId job, std::string_view action) {
  if (!left_to_allocate(session, statement, action) && session.job_pipelined(job)) {
    statement.commit();
  } else {
    statement.discard();
  }
}

}  // namespace basalt::actions
