#include "engine/plugins/gang.h"

#include <algorithm>

#include "engine/core/session.h"
#include "engine/model/readiness.h"

namespace basalt::plugins {

using engine::HookTable;
using engine::Invalid;
using engine::Order;
using engine::Session;
using engine::Vote;
using model::Job;
using model::JobId;
using model::TaskId;
using model::TaskStatus;

namespace {

Order unready_first(bool a_ready, bool b_ready) {
  if (a_ready == b_ready) return Order::equivalent;
  return a_ready ? Order::greater : Order::less;
}

// The job is going away in good order: its pods are being deleted, nothing waits, and counting the leaving ones the
// gang is complete. Telling its owner that it cannot be scheduled would be noise.
bool is_leaving(const Job& job) {
  if (job.releasing_on_node == 0) return false;
  if (job.count(TaskStatus::Pending) > 0 || job.count(TaskStatus::Pipelined) > 0) return false;
  return model::scheduled_tasks(job.counts) + job.releasing_on_node >= job.min_available;
}

// All that waits is behind gates, so no cycle ever tries it; its owner is told once nevertheless.
bool waits_untold_behind_gates(const Session& session, const Job& job) {
  if (job.gated[model::kPods] == 0) return false;
  const auto told = [](const model::Condition& condition) {
    return condition.type == "Unschedulable" && condition.status == "True";
  };
  if (std::any_of(job.status.conditions.begin(), job.status.conditions.end(), told)) return false;
  return std::all_of(job.tasks.begin(), job.tasks.end(), [&](TaskId id) {
    const model::Task& task = session.state.task(id);
    return task.status != TaskStatus::Pending || (task.gated && !task.only_queue_gate);
  });
}

// Pending pods that had a place in this cycle until their gang was given up.
int32_t placed_in_vain(const Session& session, JobId id) {
  if (!session.touched(id)) return 0;
  const Job& job = session.state.job(id);
  return static_cast<int32_t>(std::count_if(job.tasks.begin(), job.tasks.end(), [&](TaskId task) {
    if (session.state.task(task).status != TaskStatus::Pending) return false;
    const engine::Attempt* attempt = session.attempt(task);
    return attempt != nullptr && model::is_allocated(attempt->last);
  }));
}

}  // namespace

Result<Gang> Gang::make(const engine::Arguments& /*arguments*/) { return Gang(); }

void Gang::open(Session& session, engine::HookBinder& binder) {
  session_ = &session;
  binder.bind<&Gang::job_valid>(&HookTable::job_valid, *this);
  binder.bind<&Gang::job_ready>(&HookTable::job_ready, *this);
  binder.bind<&Gang::sub_job_ready>(&HookTable::sub_job_ready, *this);
  binder.bind<&Gang::job_pipelined>(&HookTable::job_pipelined, *this);
  binder.bind<&Gang::sub_job_pipelined>(&HookTable::sub_job_pipelined, *this);
  binder.bind<&Gang::job_starving>(&HookTable::job_starving, *this);
  binder.bind<&Gang::job_order>(&HookTable::job_order, *this);
  binder.bind<&Gang::sub_job_order>(&HookTable::sub_job_order, *this);
  binder.bind<&Gang::victims>(&HookTable::preemptable, *this);
  binder.bind<&Gang::victims>(&HookTable::reclaimable, *this);
}

std::optional<Invalid> Gang::job_valid(JobId id) const {
  const Job& job = session_->state.job(id);
  if (!model::roles_valid(job)) {
    return Invalid{.reason = "NotEnoughPodsOfTask",
                   .message = "Not enough valid pods of each task for gang-scheduling"};
  }
  if (!model::sub_groups_valid(job)) {
    return Invalid{.reason = "NotEnoughPodsOfTask",
                   .message = "Not enough valid subGroups of each task for gang-scheduling"};
  }
  if (const int32_t valid = model::valid_tasks(job.counts); valid < job.min_available) {
    return Invalid{.reason = "NotEnoughTasks",
                   .message = "Not enough valid tasks for gang-scheduling, valid: " + std::to_string(valid) +
                              ", min: " + std::to_string(job.min_available)};
  }
  return std::nullopt;
}

bool Gang::job_ready(JobId id) const {
  const Job& job = session_->state.job(id);
  return model::gang_ready(job) && model::roles_ready(job) && model::sub_groups_ready(job);
}

bool Gang::sub_job_ready(JobId id, uint32_t sub) const {
  return model::sub_job_ready(session_->state.job(id).sub_jobs[sub]);
}

Vote Gang::job_pipelined(JobId id) const {
  const Job& job = session_->state.job(id);
  const bool complete = model::gang_pipelined(job) && model::roles_pipelined(job) && model::sub_groups_pipelined(job);
  return complete ? Vote::Permit : Vote::Reject;
}

Vote Gang::sub_job_pipelined(JobId id, uint32_t sub) const {
  return model::sub_job_pipelined(session_->state.job(id).sub_jobs[sub]) ? Vote::Permit : Vote::Reject;
}

bool Gang::job_starving(JobId id) const { return model::gang_starving(session_->state.job(id)); }

Order Gang::job_order(JobId a, JobId b) const {
  return unready_first(model::gang_ready(session_->state.job(a)), model::gang_ready(session_->state.job(b)));
}

Order Gang::sub_job_order(JobId id, uint32_t a, uint32_t b) const {
  const Job& job = session_->state.job(id);
  return unready_first(model::sub_job_ready(job.sub_jobs[a]), model::sub_job_ready(job.sub_jobs[b]));
}

Vote Gang::victims(TaskId /*preemptor*/, std::span<const TaskId> candidates, std::vector<TaskId>& chosen) {
  left_.clear();
  for (const TaskId candidate : candidates) {
    const JobId id = session_->state.task(candidate).job;
    if (!id.valid() || !session_->state.job(id).schedulable()) continue;
    const Job& job = session_->state.job(id);
    auto left = std::find_if(left_.begin(), left_.end(), [&](const auto& row) { return row.first == id; });
    if (left == left_.end()) left = left_.insert(left_.end(), {id, model::ready_tasks(job.counts)});
    if (left->second <= job.min_available) continue;
    --left->second;
    chosen.push_back(candidate);
  }
  return Vote::Permit;
}

void Gang::close(Session& session) {
  for (const JobId id : session.jobs()) {
    const Job& job = session.state.job(id);
    if (job.tasks.empty()) continue;
    if (model::gang_ready(job)) {
      session.set_gang_condition(id, {.schedulable = true, .missing = 0});
    } else if (!is_leaving(job)) {
      const int32_t placed = model::ready_tasks(job.counts) + placed_in_vain(session, id);
      session.set_gang_condition(id, {.schedulable = false, .missing = job.min_available - placed});
      if (waits_untold_behind_gates(session, job)) session.touch_job(id);
    }
  }
}

}  // namespace basalt::plugins
