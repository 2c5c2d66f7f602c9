#include "engine/plugins/gang.h"

#include <gtest/gtest.h>

#include <map>

#include "engine/core/statement.h"
#include "engine/plugins/plugin_test_world.h"

namespace basalt::plugins {
namespace {

using engine::Statement;
using model::JobId;
using model::TaskId;

TEST(Gang, gives_only_pods_above_the_minimum_of_each_job) {
  World world;
  world.node({.name = "n", .cpu = 8000});
  world.queue({.name = "q"});
  world.job({.name = "a", .min_available = 1});
  world.job({.name = "b", .min_available = 2});
  const TaskId a0 = world.task({.name = "a0", .group = "a", .node_name = "n"}, 1000);
  const TaskId b0 = world.task({.name = "b0", .group = "b", .node_name = "n"}, 1000);
  const TaskId a1 = world.task({.name = "a1", .group = "a", .node_name = "n"}, 1000);
  const TaskId b1 = world.task({.name = "b1", .group = "b", .node_name = "n"}, 1000);
  const TaskId a2 = world.task({.name = "a2", .group = "a", .node_name = "n"}, 1000);
  const TaskId lone = world.task({.name = "lone", .node_name = "n"}, 1000);  // of no job: not ours to take
  world.open<Gang>();
  const std::vector<TaskId> candidates = {a0, b0, a1, b1, a2, lone};
  // a holds 3 and keeps 1, b holds 2 and keeps 2.
  EXPECT_EQ(world.session().preemptable(a0, candidates), (std::vector{a0, a1}));
  EXPECT_EQ(world.session().reclaimable(a0, candidates), (std::vector{a0, a1}));
}

TEST(Gang, is_ready_when_job_and_roles_are) {
  World world;
  world.node({.name = "n", .cpu = 8000});
  world.queue({.name = "q"});
  const NameId ps = world.state.names.intern("ps");
  const NameId worker = world.state.names.intern("worker");
  const JobId job = world.job({.name = "j", .min_available = 2, .min_task_member = {{ps, 1}, {worker, 1}}});
  world.task({.name = "w0", .group = "j", .node_name = "n", .role = worker}, 1000);
  world.task({.name = "w1", .group = "j", .node_name = "n", .role = worker}, 1000);
  const TaskId first = world.task({.name = "p0", .group = "j", .role = ps}, 1000);
  world.open<Gang>();
  // Two pods run, as many as the job needs, but none is a ps.
  EXPECT_FALSE(world.session().job_ready(job));
  EXPECT_FALSE(world.session().job_starving(job));  // roles do not count here
  Statement statement(world.session());
  statement.pipeline(first, world.state.find_node("n"), /*evicted=*/false);
  EXPECT_TRUE(world.session().job_pipelined(job));
  EXPECT_FALSE(world.session().job_ready(job));
  statement.rollback(0);
  statement.allocate(first, world.state.find_node("n"));
  EXPECT_TRUE(world.session().job_ready(job));
}

TEST(Gang, says_what_makes_a_job_invalid) {
  World world;
  world.queue({.name = "q"});
  const NameId ps = world.state.names.intern("ps");
  const JobId few = world.job({.name = "few", .min_available = 2});
  world.task({.name = "few0", .group = "few"}, 1000);
  const JobId roles = world.job({.name = "roles", .min_available = 1, .min_task_member = {{ps, 1}}});
  world.task({.name = "roles0", .group = "roles"}, 1000);
  world.open<Gang>();
  const auto invalid = world.session().job_invalid(few);
  ASSERT_TRUE(invalid);
  EXPECT_EQ(invalid->reason, "NotEnoughTasks");
  EXPECT_EQ(invalid->message, "Not enough valid tasks for gang-scheduling, valid: 1, min: 2");
  EXPECT_EQ(world.session().job_invalid(roles)->reason, "NotEnoughPodsOfTask");
}

TEST(Gang, condition_counts_pods_that_had_a_place) {
  World world;
  const model::NodeId node = world.node({.name = "n", .cpu = 8000});
  world.queue({.name = "q"});
  const JobId short_of = world.job({.name = "short", .min_available = 4});
  std::vector<TaskId> tasks;
  for (const char* name : {"s0", "s1", "s2", "s3"}) tasks.push_back(world.task({.name = name, .group = "short"}, 3000));
  const JobId idle = world.job({.name = "idle", .min_available = 1});
  world.task({.name = "i0", .group = "idle"}, 3000);
  const JobId done = world.job({.name = "done", .min_available = 1});
  world.task({.name = "d0", .group = "done", .node_name = "n"}, 1000);
  const JobId leaving = world.job({.name = "leaving", .min_available = 1});
  world.task({.name = "l0", .group = "leaving", .node_name = "n", .status = model::TaskStatus::Releasing}, 1000);
  world.open<Gang>();
  Statement statement(world.session());
  statement.allocate(tasks[0], node);
  statement.allocate(tasks[1], node);
  statement.discard();
  world.session().record_failure(tasks[2], engine::FitFailure());
  world.session().touch_job(done);
  world.session().touch_job(idle);
  world.session().touch_job(leaving);
  world.session().close();
  std::map<JobId, std::optional<engine::GangCondition>> conditions;
  for (const engine::JobReport& report : world.session().result.report.jobs) conditions[report.job] = report.gang;
  EXPECT_FALSE(conditions.at(short_of)->schedulable);
  EXPECT_EQ(conditions.at(short_of)->missing, 2);  // 4 wanted, 2 had a place
  EXPECT_EQ(conditions.at(idle)->missing, 1);
  EXPECT_TRUE(conditions.at(done)->schedulable);
  EXPECT_FALSE(conditions.at(leaving));
}

}  // namespace
}  // namespace basalt::plugins
