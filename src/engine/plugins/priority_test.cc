#include "engine/plugins/priority.h"

#include <gtest/gtest.h>

#include "engine/plugins/plugin_test_world.h"

namespace basalt::plugins {
namespace {

using model::JobId;
using model::TaskId;

TEST(Priority, takes_from_lower_jobs_and_from_lower_tasks_of_its_own) {
  World world;
  world.node({.name = "n", .cpu = 8000});
  world.queue({.name = "q"});
  world.state.upsert_priority_class("high", 100, false);
  world.state.upsert_priority_class("low", 1, false);
  const JobId high = world.job({.name = "high", .priority_class = "high"});
  const JobId low = world.job({.name = "low", .priority_class = "low"});
  world.job({.name = "peer", .priority_class = "high"});
  const TaskId wants = world.task({.name = "h0", .group = "high", .priority = 5}, 1000);
  const TaskId lesser = world.task({.name = "h1", .group = "high", .node_name = "n", .priority = 4}, 1000);
  const TaskId equal = world.task({.name = "h2", .group = "high", .node_name = "n", .priority = 5}, 1000);
  const TaskId other = world.task({.name = "l0", .group = "low", .node_name = "n", .priority = 9}, 1000);
  const TaskId peer = world.task({.name = "p0", .group = "peer", .node_name = "n", .priority = 0}, 1000);
  world.open<Priority>();
  EXPECT_EQ(world.session().preemptable(wants, std::vector{lesser, equal, other, peer}), (std::vector{lesser, other}));
  EXPECT_TRUE(world.session().reclaimable(wants, std::vector{other}).empty());  // has no opinion there
  EXPECT_TRUE(world.session().job_before(high, low));
  EXPECT_TRUE(world.session().task_before(other, wants));
  EXPECT_TRUE(world.session().job_starving(high));  // h0 has no place
  EXPECT_FALSE(world.session().job_starving(low));
}

TEST(Priority, sub_job_has_the_priority_of_its_first_task_even_below_zero) {
  World world;
  world.queue({.name = "q"});
  const NameId key = world.state.names.intern("group");
  model::SubGroupPolicy policy{.name = "p", .match_label_keys = {key}};
  const JobId job = world.job({.name = "j", .sub_groups = {policy}});
  for (const auto& [name, group, priority] :
       {std::tuple{"a0", "a", -5}, std::tuple{"a1", "a", -7}, std::tuple{"b0", "b", -1}}) {
    const auto labels = world.state.label_sets.intern(world.labels({{"group", group}}));
    world.task({.name = name, .group = "j", .labels = labels, .priority = priority}, 1000);
  }
  world.open<Priority>();
  ASSERT_EQ(world.state.job(job).sub_jobs.size(), 2U);
  EXPECT_TRUE(world.session().sub_job_before(job, 1, 0));  // b: −1, a: −5
}

}  // namespace
}  // namespace basalt::plugins
