// The end of a cycle: what to report, and the undoing of everything tentative.
#include <algorithm>

#include "engine/core/combine.h"
#include "engine/core/session.h"
#include "engine/model/readiness.h"

namespace basalt::engine {

using model::PodGroupPhase;
using model::TaskStatus;

void Session::close() {
  for (const auto& plugin : plugins_) plugin->close(*this);
  report_jobs();
  report_limits();
  release_held();
}

void Session::report_limits() {
  std::vector<QueueId> queues;
  for (const JobId id : jobs_) {
    if (!model::gang_ready(state.job(id))) queues.push_back(state.job(id).queue_id);
  }
  std::sort(queues.begin(), queues.end());
  queues.erase(std::unique(queues.begin(), queues.end()), queues.end());
  for (const QueueId queue : queues) notify(hooks.queue_limits, queue, result.report.limits);
}

Session::StatusSummary Session::status_at_close(JobId id) const {
  const model::Job& job = state.job(id);
  StatusSummary status{.phase = job.status.phase,
                       .running = job.count(TaskStatus::Running),
                       .succeeded = job.count(TaskStatus::Succeeded),
                       .failed = job.count(TaskStatus::Failed)};
  const auto& gang = gang_conditions_[id];
  const bool unschedulable = gang && !gang->schedulable;
  const int32_t scheduled = model::scheduled_tasks(job.counts) + job.releasing_on_node;
  if (status.running > 0 && unschedulable) {
    status.phase = PodGroupPhase::Unknown;
  } else if (scheduled >= job.min_available) {
    status.phase = scheduled == model::completed_tasks(job.counts) ? PodGroupPhase::Completed : PodGroupPhase::Running;
  } else if (status.phase != PodGroupPhase::Inqueue) {
    status.phase = PodGroupPhase::Pending;
  }
  return status;
}

JobReport Session::job_report(JobId id) const {
  const model::Job& job = state.job(id);
  JobReport report{.job = id, .gang = gang_conditions_[id], .ready = model::gang_ready(job), .counts = job.counts};
  std::vector<TaskId> waiting;
  for (const TaskId member : job.tasks) {
    const model::Task& task = state.task(member);
    const bool unplaced = task.status == TaskStatus::Pending || task.status == TaskStatus::Allocated ||
                          task.status == TaskStatus::Pipelined;
    if (unplaced && !task.gated) waiting.push_back(member);
  }
  sort_tasks(waiting);
  for (const TaskId member : waiting) {
    const model::Task& task = state.task(member);
    TaskReport row{.task = member, .last = task.status, .node = task.node, .failure = std::nullopt};
    if (const Attempt* tried = attempt(member); task.status == TaskStatus::Pending && tried != nullptr) {
      row.last = tried->last;
      row.node = tried->node;
      row.failure = tried->failure;
      if (tried->failure && !report.origin) report.origin = member;
    }
    report.tasks.push_back(row);
  }
  return report;
}

void Session::report_jobs() {
  std::set<TaskId> nominated;
  for (const Pipelined& held : held_) {
    if (held.evicted) nominated.insert(held.task);
  }
  for (const JobId id : jobs_) {
    const StatusSummary summary = status_at_close(id);
    const model::PodGroupStatus& written = state.job(id).status;
    const StatusSummary before{.phase = old_phases_[id].value_or(written.phase),
                               .running = written.running,
                               .succeeded = written.succeeded,
                               .failed = written.failed};
    const bool changed = summary != before;
    if (!changed && touched_jobs_[id] == 0) continue;  // most jobs of most cycles
    JobReport report = job_report(id);
    report.changed = changed;
    for (TaskReport& task : report.tasks) task.nominate = nominated.contains(task.task);
    report.status = {.phase = summary.phase,
                     .conditions = written.conditions,
                     .running = summary.running,
                     .succeeded = summary.succeeded,
                     .failed = summary.failed};
    state.set_job_status(id, report.status);
    result.report.jobs.push_back(std::move(report));
  }
  std::sort(result.report.jobs.begin(), result.report.jobs.end(),
            [this](const JobReport& a, const JobReport& b) { return state.job(a.job).id < state.job(b.job).id; });
}

// Tentative placements go; evicted tasks count again in their node's view until they are really gone.
void Session::release_held() {
  for (const Pipelined& held : held_) {
    const TaskStatus status = state.task(held.task).status;
    if (status == TaskStatus::Pipelined) result.decisions.pipelined.push_back(held);
    if (status != TaskStatus::Pipelined && status != TaskStatus::Allocated) continue;
    state.move_task(held.task, TaskStatus::Pending, NodeId(), /*in_view=*/false);
    state.note_freed();
  }
  held_.clear();
  for (const Evict& evict : result.decisions.evicts) {
    state.move_task(evict.task, TaskStatus::Releasing, state.task(evict.task).node, /*in_view=*/true);
  }
}

}  // namespace basalt::engine
