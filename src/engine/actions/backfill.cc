#include "engine/actions/backfill.h"

#include <vector>

#include "engine/actions/queue_of_jobs.h"
#include "engine/core/node_search.h"

namespace basalt::actions {

namespace {

using engine::Session;
using model::JobId;
using model::TaskId;
using model::TaskStatus;

// Best-effort tasks without a place. Those that an earlier action pipelined give their place back first, unless pods
// were evicted for it: someone else would get the place, and the eviction would be for nothing.
std::vector<TaskId> take_best_effort(Session& session, JobId job) {
  std::vector<TaskId> tasks;
  for (const TaskId id : session.state.job(job).tasks) {
    const model::Task& task = session.state.task(id);
    if (!task.best_effort || task.gated || session.evicted_for(id)) continue;
    if (task.status == TaskStatus::Pending || task.status == TaskStatus::Pipelined) tasks.push_back(id);
  }
  for (const TaskId id : tasks) {
    if (session.state.task(id).status == TaskStatus::Pipelined) session.undo_pipeline(id);
  }
  session.sort_tasks(tasks);
  return tasks;
}

void place(Session& session, TaskId task) {
  if (const engine::VerdictId refused = engine::pre_filter(session, task); refused != engine::kFits) {
    session.record_failure(task, engine::explain_pre_filter(session, refused));
    return;
  }
  if (const auto choice = engine::best_node(session, task)) {
    session.allocate_directly(task, choice->node);
  } else {
    session.record_failure(task, engine::explain_failure(session, task));
  }
}

void backfill(Session& session) {
  QueueOfJobs line(session);
  std::map<JobId, std::vector<TaskId>> work;
  for (const JobId id : session.waiting_jobs()) {
    const model::Job& job = session.state.job(id);
    if (job.pending_best_effort == 0 && job.count(TaskStatus::Pipelined) == 0) continue;
    if (session.is_pending(id) || session.job_invalid(id)) continue;
    std::vector<TaskId> tasks = take_best_effort(session, id);
    if (tasks.empty()) continue;
    work.emplace(id, std::move(tasks));
    line.add(id);
  }
  std::vector<TaskId> order;  // fixed before anything is placed
  while (const auto queue = line.take_queue()) {
    while (const auto job = line.take_job(*queue)) {
      order.insert(order.end(), work.at(*job).begin(), work.at(*job).end());
    }
  }
  for (const TaskId task : order) place(session, task);
}

}  // namespace

Result<engine::ActionRun> configure_backfill(const engine::Arguments& arguments) {
  if (auto cache = arguments.get_bool("predicateErrorCacheEnable", true); !cache) return std::unexpected(cache.error());
  return engine::ActionRun(backfill);
}

}  // namespace basalt::actions
