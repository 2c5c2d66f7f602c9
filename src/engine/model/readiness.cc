#include "engine/model/readiness.h"

#include <algorithm>
#include <vector>

namespace basalt::model {

namespace {

template <class Member>
int32_t sum_if(const StatusCounts& counts, Member is_member) {
  int32_t sum = 0;
  for (size_t s = 0; s < kTaskStatuses; ++s) {
    if (is_member(static_cast<TaskStatus>(s))) sum += counts[s];
  }
  return sum;
}

template <class Holds>
bool every_role(const Job& job, Holds holds) {
  if (!roles_enforced(job)) return true;
  return std::all_of(job.roles.begin(), job.roles.end(),
                     [&](const TaskRole& role) { return role.min <= 0 || holds(role); });
}

template <class Counts>
bool enough_sub_jobs(const Job& job, Counts counts) {
  for (size_t p = 0; p < job.sub_groups.size(); ++p) {
    const int32_t wanted = job.sub_groups[p].min_groups;
    if (wanted <= 0) continue;
    const auto have = std::count_if(job.sub_jobs.begin(), job.sub_jobs.end(), [&](const SubJob& sub) {
      return sub.policy == static_cast<int32_t>(p) && !sub.tasks.empty() && counts(sub);
    });
    if (have < wanted) return false;
  }
  return true;
}

}  // namespace

int32_t ready_tasks(const StatusCounts& counts) { return sum_if(counts, is_ready); }
int32_t allocated_tasks(const StatusCounts& counts) { return sum_if(counts, is_allocated); }
int32_t valid_tasks(const StatusCounts& counts) { return sum_if(counts, is_valid); }
int32_t scheduled_tasks(const StatusCounts& counts) { return sum_if(counts, is_scheduled); }
int32_t completed_tasks(const StatusCounts& counts) { return sum_if(counts, is_completed); }

bool gang_ready(const Job& job) { return ready_tasks(job.counts) + job.pending_best_effort >= job.min_available; }
bool gang_pipelined(const Job& job) {
  return waiting_tasks(job.counts) + ready_tasks(job.counts) + job.pending_best_effort >= job.min_available;
}
bool gang_starving(const Job& job) { return waiting_tasks(job.counts) + ready_tasks(job.counts) < job.min_available; }

bool roles_enforced(const Job& job) { return job.min_available >= job.min_task_total; }
bool roles_valid(const Job& job) {
  return every_role(job, [](const TaskRole& r) { return valid_tasks(r.counts) >= r.min; });
}
bool roles_ready(const Job& job) {
  return every_role(job, [](const TaskRole& r) { return ready_tasks(r.counts) + r.pending_best_effort >= r.min; });
}
bool roles_pipelined(const Job& job) {
  return every_role(job, [](const TaskRole& r) {
    return ready_tasks(r.counts) + waiting_tasks(r.counts) + r.pending_best_effort >= r.min;
  });
}

bool sub_job_ready(const SubJob& sub) { return ready_tasks(sub.counts) + sub.pending_best_effort >= sub.min_available; }
bool sub_job_pipelined(const SubJob& sub) {
  return waiting_tasks(sub.counts) + ready_tasks(sub.counts) + sub.pending_best_effort >= sub.min_available;
}
bool sub_groups_valid(const Job& job) {
  return enough_sub_jobs(job, [](const SubJob&) { return true; });
}
bool sub_groups_ready(const Job& job) { return enough_sub_jobs(job, sub_job_ready); }
bool sub_groups_pipelined(const Job& job) { return enough_sub_jobs(job, sub_job_pipelined); }

}  // namespace basalt::model
