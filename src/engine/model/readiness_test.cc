#include "engine/model/readiness.h"

#include <gtest/gtest.h>

namespace basalt::model {
namespace {

StatusCounts counts(std::initializer_list<std::pair<TaskStatus, int32_t>> given) {
  StatusCounts made{};
  for (const auto& [status, count] : given) made[slot(status)] = count;
  return made;
}

TEST(Readiness, WhichStatusCountsAsWhat) {
  StatusCounts one_each{};
  one_each.fill(1);
  EXPECT_EQ(ready_tasks(one_each), 5);      // Allocated Binding Bound Running Succeeded
  EXPECT_EQ(allocated_tasks(one_each), 4);  // without Succeeded
  EXPECT_EQ(valid_tasks(one_each), 7);      // ready, Pipelined, Pending
  EXPECT_EQ(scheduled_tasks(one_each), 4);  // Running Bound Failed Succeeded
  EXPECT_EQ(completed_tasks(one_each), 2);
  EXPECT_EQ(waiting_tasks(one_each), 1);
}

TEST(Readiness, OfTheWholeGang) {
  Job job;
  job.min_available = 4;
  job.counts = counts({{TaskStatus::Running, 2}, {TaskStatus::Pipelined, 1}, {TaskStatus::Pending, 3}});
  EXPECT_FALSE(gang_ready(job));      // 2 < 4
  EXPECT_FALSE(gang_pipelined(job));  // 2 + 1 < 4
  EXPECT_TRUE(gang_starving(job));
  job.pending_best_effort = 1;  // counts as good as placed
  EXPECT_FALSE(gang_ready(job));
  EXPECT_TRUE(gang_pipelined(job));  // 2 + 1 + 1
  EXPECT_TRUE(gang_starving(job));   // best effort does not feed a starving gang: 2 + 1 < 4
  job.pending_best_effort = 2;
  EXPECT_TRUE(gang_ready(job));
}

Job with_roles(int32_t min_available, int32_t master_min, int32_t worker_min) {
  Job job;
  job.min_available = min_available;
  job.min_task_total = master_min + worker_min;
  job.roles.resize(2);
  job.roles[0].min = master_min;
  job.roles[1].min = worker_min;
  return job;
}

TEST(Readiness, OfRoles) {
  Job job = with_roles(3, 1, 2);
  job.roles[0].counts = counts({{TaskStatus::Pending, 1}});
  job.roles[1].counts = counts({{TaskStatus::Running, 2}});
  EXPECT_TRUE(roles_enforced(job));
  EXPECT_TRUE(roles_valid(job));
  EXPECT_FALSE(roles_ready(job));
  EXPECT_FALSE(roles_pipelined(job));
  job.roles[0].counts = counts({{TaskStatus::Pipelined, 1}});
  EXPECT_FALSE(roles_ready(job));
  EXPECT_TRUE(roles_pipelined(job));
  job.roles[0].counts = counts({{TaskStatus::Failed, 1}});
  EXPECT_FALSE(roles_valid(job));
}

TEST(Readiness, RolesDoNotBindBelowTheirSum) {
  const Job job = with_roles(2, 1, 2);  // minAvailable 2 < 1 + 2
  EXPECT_FALSE(roles_enforced(job));
  EXPECT_TRUE(roles_valid(job));
  EXPECT_TRUE(roles_ready(job));
  EXPECT_TRUE(roles_pipelined(job));
}

TEST(Readiness, OfSubGroups) {
  Job job;
  job.sub_groups.push_back({.name = "replica", .size = 2, .min_groups = 2});
  const auto add = [&](int32_t policy, StatusCounts with) {
    SubJob sub{.policy = policy, .min_available = 2};
    sub.counts = with;
    sub.tasks = {TaskId(uint32_t{0})};
    job.sub_jobs.push_back(std::move(sub));
  };
  add(0, counts({{TaskStatus::Running, 2}}));
  add(0, counts({{TaskStatus::Running, 1}, {TaskStatus::Pipelined, 1}}));
  add(-1, counts({{TaskStatus::Running, 9}}));  // the default sub-job belongs to no policy
  EXPECT_TRUE(sub_groups_valid(job));
  EXPECT_FALSE(sub_groups_ready(job));  // one of two
  EXPECT_TRUE(sub_groups_pipelined(job));
  job.sub_jobs[1].tasks.clear();  // left over from pods that are gone
  EXPECT_FALSE(sub_groups_valid(job));
  EXPECT_FALSE(sub_groups_pipelined(job));
  job.sub_groups[0].min_groups = 0;
  EXPECT_TRUE(sub_groups_valid(job));
  EXPECT_TRUE(sub_groups_ready(job));
}

}  // namespace
}  // namespace basalt::model
