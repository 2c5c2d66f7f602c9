#include "engine/plugins/gang.h"

#include <gtest/gtest.h>

#include <map>

#include "engine/core/statement.h"
#include "engine/plugins/plugin_fixture.h"

namespace basalt::plugins {
namespace {

using engine::Statement;
using model::JobId;
using model::TaskId;

TEST(Gang, gives_only_pods_above_the_minimum_of_each_job) {
  PluginFixture fixture;
  fixture.node({.name = "n", .cpu = 8000});
  fixture.queue({.name = "q"});
  fixture.job({.name = "a", .min_available = 1});
  fixture.job({.name = "b", .min_available = 2});
  const TaskId a0 = fixture.task({.name = "a0", .group = "a", .node_name = "n"}, 1000);
  const TaskId b0 = fixture.task({.name = "b0", .group = "b", .node_name = "n"}, 1000);
  const TaskId a1 = fixture.task({.name = "a1", .group = "a", .node_name = "n"}, 1000);
  const TaskId b1 = fixture.task({.name = "b1", .group = "b", .node_name = "n"}, 1000);
  const TaskId a2 = fixture.task({.name = "a2", .group = "a", .node_name = "n"}, 1000);
  const TaskId lone = fixture.task({.name = "lone", .node_name = "n"}, 1000);  // of no job: not ours to take
  fixture.open<Gang>();
  const std::vector<TaskId> candidates = {a0, b0, a1, b1, a2, lone};
  // a holds 3 and keeps 1, b holds 2 and keeps 2.
  EXPECT_EQ(fixture.session().preemptable(a0, candidates), (std::vector{a0, a1}));
  EXPECT_EQ(fixture.session().reclaimable(a0, candidates), (std::vector{a0, a1}));
}

TEST(Gang, is_ready_when_job_and_roles_are) {
  PluginFixture fixture;
  fixture.node({.name = "n", .cpu = 8000});
  fixture.queue({.name = "q"});
  const NameId ps = fixture.state.names.intern("ps");
  const NameId worker = fixture.state.names.intern("worker");
  const JobId job = fixture.job({.name = "j", .min_available = 2, .min_task_member = {{ps, 1}, {worker, 1}}});
  fixture.task({.name = "w0", .group = "j", .node_name = "n", .role = worker}, 1000);
  fixture.task({.name = "w1", .group = "j", .node_name = "n", .role = worker}, 1000);
  const TaskId first = fixture.task({.name = "p0", .group = "j", .role = ps}, 1000);
  fixture.open<Gang>();
  // Two pods run, as many as the job needs, but none is a ps.
  EXPECT_FALSE(fixture.session().job_ready(job));
  EXPECT_FALSE(fixture.session().job_starving(job));  // roles do not count here
  Statement statement(fixture.session());
  statement.pipeline(first, fixture.state.find_node("n"), /*evicted=*/false);
  EXPECT_TRUE(fixture.session().job_pipelined(job));
  EXPECT_FALSE(fixture.session().job_ready(job));
  statement.rollback(0);
  statement.allocate(first, fixture.state.find_node("n"));
  EXPECT_TRUE(fixture.session().job_ready(job));
}

TEST(Gang, says_what_makes_a_job_invalid) {
  PluginFixture fixture;
  fixture.queue({.name = "q"});
  const NameId ps = fixture.state.names.intern("ps");
  const JobId few = fixture.job({.name = "few", .min_available = 2});
  fixture.task({.name = "few0", .group = "few"}, 1000);
  const JobId roles = fixture.job({.name = "roles", .min_available = 1, .min_task_member = {{ps, 1}}});
  fixture.task({.name = "roles0", .group = "roles"}, 1000);
  fixture.open<Gang>();
  const auto invalid = fixture.session().job_invalid(few);
  ASSERT_TRUE(invalid);
  EXPECT_EQ(invalid->reason, "NotEnoughTasks");
  EXPECT_EQ(invalid->message, "Not enough valid tasks for gang-scheduling, valid: 1, min: 2");
  EXPECT_EQ(fixture.session().job_invalid(roles)->reason, "NotEnoughPodsOfTask");
}

TEST(Gang, condition_counts_pods_that_had_a_place) {
  PluginFixture fixture;
  const model::NodeId node = fixture.node({.name = "n", .cpu = 8000});
  fixture.queue({.name = "q"});
  const JobId short_of = fixture.job({.name = "short", .min_available = 4});
  std::vector<TaskId> tasks;
  for (const char* name : {"s0", "s1", "s2", "s3"})
    tasks.push_back(fixture.task({.name = name, .group = "short"}, 3000));
  const JobId idle = fixture.job({.name = "idle", .min_available = 1});
  fixture.task({.name = "i0", .group = "idle"}, 3000);
  const JobId done = fixture.job({.name = "done", .min_available = 1});
  fixture.task({.name = "d0", .group = "done", .node_name = "n"}, 1000);
  const JobId leaving = fixture.job({.name = "leaving", .min_available = 1});
  fixture.task({.name = "l0", .group = "leaving", .node_name = "n", .status = model::TaskStatus::Releasing}, 1000);
  fixture.open<Gang>();
  Statement statement(fixture.session());
  statement.allocate(tasks[0], node);
  statement.allocate(tasks[1], node);
  statement.discard();
  fixture.session().record_failure(tasks[2], engine::FitFailure());
  fixture.session().touch_job(done);
  fixture.session().touch_job(idle);
  fixture.session().touch_job(leaving);
  fixture.session().close();
  std::map<JobId, std::optional<engine::GangCondition>> conditions;
  for (const engine::JobReport& report : fixture.session().result.report.jobs) conditions[report.job] = report.gang;
  EXPECT_FALSE(conditions.at(short_of)->schedulable);
  EXPECT_EQ(conditions.at(short_of)->missing, 2);  // 4 wanted, 2 had a place
  EXPECT_EQ(conditions.at(idle)->missing, 1);
  EXPECT_TRUE(conditions.at(done)->schedulable);
  EXPECT_FALSE(conditions.at(leaving));
}

}  // namespace
}  // namespace basalt::plugins
