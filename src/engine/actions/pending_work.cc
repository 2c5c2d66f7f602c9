#include "engine/actions/pending_work.h"

#include <algorithm>

#include "engine/model/readiness.h"

namespace basalt::actions {

using engine::Session;
using model::JobId;
using model::TaskId;
using model::TaskStatus;

namespace {

std::vector<TaskId> pending_tasks(const Session& session, const model::SubJob& sub) {
  std::vector<TaskId> tasks;
  if (sub.counts[model::slot(TaskStatus::Pending)] == 0) return tasks;
  for (const TaskId id : sub.tasks) {
    const model::Task& task = session.state.task(id);
    if (task.status != TaskStatus::Pending || task.best_effort) continue;
    if (task.gated && !task.only_queue_gate) continue;
    tasks.push_back(id);
  }
  session.sort_tasks(tasks);
  return tasks;
}

// The sub-jobs that are still needed so that every policy has its minSubGroups, best first.
std::set<uint32_t> required_sub_jobs(const Session& session, JobId id) {
  const model::Job& job = session.state.job(id);
  std::vector<int32_t> ready(job.sub_groups.size(), 0);
  std::vector<uint32_t> unready;
  for (uint32_t s = 0; s < job.sub_jobs.size(); ++s) {
    if (job.sub_jobs[s].policy < 0) continue;
    if (session.sub_job_ready(id, s)) {
      ++ready[static_cast<size_t>(job.sub_jobs[s].policy)];
    } else {
      unready.push_back(s);
    }
  }
  std::sort(unready.begin(), unready.end(), [&](uint32_t a, uint32_t b) { return session.sub_job_before(id, a, b); });
  std::set<uint32_t> required;
  for (const uint32_t s : unready) {
    const auto policy = static_cast<size_t>(job.sub_jobs[s].policy);
    if (ready[policy] >= job.sub_groups[policy].min_groups) continue;
    ++ready[policy];
    required.insert(s);
  }
  return required;
}

}  // namespace

PendingWork make_pending_work(const Session& session, JobId id) {
  const model::Job& job = session.state.job(id);
  PendingWork pending;
  for (uint32_t s = 0; s < job.sub_jobs.size(); ++s) {
    std::vector<TaskId> tasks = pending_tasks(session, job.sub_jobs[s]);
    if (!tasks.empty()) pending.sub_jobs.push_back({.sub_job = s, .tasks = TaskQueue(std::move(tasks))});
  }
  if (!job.sub_groups.empty()) pending.required = required_sub_jobs(session, id);
  return pending;
}

size_t next_sub_job(const Session& session, JobId id, const PendingWork& pending) {
  const auto before = [&](const PendingSubJob& a, const PendingSubJob& b) {
    const bool left = pending.required.contains(a.sub_job);
    const bool right = pending.required.contains(b.sub_job);
    if (left != right) return left;
    return session.sub_job_before(id, a.sub_job, b.sub_job);
  };
  const auto first = std::min_element(pending.sub_jobs.begin(), pending.sub_jobs.end(), before);
  return static_cast<size_t>(first - pending.sub_jobs.begin());
}

bool worth_continuing(const Session& session, JobId id, uint32_t sub_job) {
  const model::Job& job = session.state.job(id);
  const model::SubJob& sub = job.sub_jobs[sub_job];
  if (job.min_available == static_cast<int32_t>(job.tasks.size())) return false;
  if (sub.min_available >= static_cast<int32_t>(sub.tasks.size())) return false;
  if (!job.sub_groups.empty()) return true;
  if (!model::roles_enforced(job)) {  // only the total counts: can the roles that still fit make up for it?
    int32_t reachable = model::ready_tasks(job.counts);
    for (uint32_t r = 0; r < job.roles.size(); ++r) {
      if (!session.role_failed(id, sub_job, r)) reachable += job.roles[r].counts[model::slot(TaskStatus::Pending)];
    }
    return reachable >= job.min_available;
  }
  for (uint32_t r = 0; r < job.roles.size(); ++r) {
    const model::TaskRole& role = job.roles[r];
    if (role.min == 0 || !session.role_failed(id, sub_job, r)) continue;
    if (model::ready_tasks(role.counts) + role.pending_best_effort < role.min) return false;
  }
  return true;
}

}  // namespace basalt::actions
