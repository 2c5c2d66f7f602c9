#include "engine/plugins/priority.h"

#include <algorithm>
#include <limits>

#include "engine/core/session.h"
#include "engine/model/readiness.h"

namespace basalt::plugins {

using engine::HookTable;
using engine::Order;
using engine::Session;
using engine::Vote;
using model::Job;
using model::JobId;
using model::TaskId;

Result<Priority> Priority::make(const engine::Arguments& /*arguments*/) { return Priority(); }

void Priority::open(Session& session, engine::HookBinder& binder) {
  session_ = &session;
  binder.bind<&Priority::task_order>(&HookTable::task_order, *this);
  binder.bind<&Priority::job_order>(&HookTable::job_order, *this);
  binder.bind<&Priority::sub_job_order>(&HookTable::sub_job_order, *this);
  binder.bind<&Priority::victims>(&HookTable::preemptable, *this);
  binder.bind<&Priority::job_starving>(&HookTable::job_starving, *this);
}

Order Priority::job_order(JobId a, JobId b) const {
  return session_->state.job(b).priority <=> session_->state.job(a).priority;
}

Order Priority::task_order(TaskId a, TaskId b) const {
  return session_->state.task(b).priority <=> session_->state.task(a).priority;
}

Order Priority::sub_job_order(JobId id, uint32_t a, uint32_t b) {
  auto [at, is_new] = sub_job_priorities_.try_emplace(id);
  std::vector<int32_t>& highest = at->second;
  if (is_new) {
    for (const model::SubJob& sub : session_->state.job(id).sub_jobs) {
      int32_t& top = highest.emplace_back(std::numeric_limits<int32_t>::min());
      for (const TaskId task : sub.tasks) top = std::max(top, session_->state.task(task).priority);
    }
  }
  return highest[b] <=> highest[a];
}

bool Priority::job_starving(JobId id) const {
  const Job& job = session_->state.job(id);
  return model::ready_tasks(job.counts) + model::waiting_tasks(job.counts) < static_cast<int32_t>(job.tasks.size());
}

Vote Priority::victims(TaskId preemptor, std::span<const TaskId> candidates, std::vector<TaskId>& chosen) const {
  const model::Task& wants = session_->state.task(preemptor);
  if (!wants.job.valid()) return Vote::Permit;
  for (const TaskId candidate : candidates) {
    const model::Task& task = session_->state.task(candidate);
    if (!task.job.valid() || !session_->state.job(task.job).schedulable()) continue;
    const bool lower = task.job == wants.job
                           ? task.priority < wants.priority
                           : session_->state.job(task.job).priority < session_->state.job(wants.job).priority;
    if (lower) chosen.push_back(candidate);
  }
  return Vote::Permit;
}

}  // namespace basalt::plugins
