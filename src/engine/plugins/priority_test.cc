#include "engine/plugins/priority.h"

#include <gtest/gtest.h>

#include "engine/plugins/plugin_fixture.h"

namespace basalt::plugins {
namespace {

using model::JobId;
using model::TaskId;

TEST(Priority, takes_from_lower_jobs_and_from_lower_tasks_of_its_own) {
  PluginFixture fixture;
  fixture.node({.name = "n", .cpu = 8000});
  fixture.queue({.name = "q"});
  fixture.state.upsert_priority_class("high", 100, false);
  fixture.state.upsert_priority_class("low", 1, false);
  const JobId high = fixture.job({.name = "high", .priority_class = "high"});
  const JobId low = fixture.job({.name = "low", .priority_class = "low"});
  fixture.job({.name = "peer", .priority_class = "high"});
  const TaskId wants = fixture.task({.name = "h0", .group = "high", .priority = 5}, 1000);
  const TaskId lesser = fixture.task({.name = "h1", .group = "high", .node_name = "n", .priority = 4}, 1000);
  const TaskId equal = fixture.task({.name = "h2", .group = "high", .node_name = "n", .priority = 5}, 1000);
  const TaskId other = fixture.task({.name = "l0", .group = "low", .node_name = "n", .priority = 9}, 1000);
  const TaskId peer = fixture.task({.name = "p0", .group = "peer", .node_name = "n", .priority = 0}, 1000);
  fixture.open<Priority>();
  EXPECT_EQ(fixture.session().preemptable(wants, std::vector{lesser, equal, other, peer}),
            (std::vector{lesser, other}));
  EXPECT_TRUE(fixture.session().reclaimable(wants, std::vector{other}).empty());  // has no opinion there
  EXPECT_TRUE(fixture.session().job_before(high, low));
  EXPECT_TRUE(fixture.session().task_before(other, wants));
  EXPECT_TRUE(fixture.session().job_starving(high));  // h0 has no place
  EXPECT_FALSE(fixture.session().job_starving(low));
}

TEST(Priority, sub_job_has_the_priority_of_its_first_task_even_below_zero) {
  PluginFixture fixture;
  fixture.queue({.name = "q"});
  const NameId key = fixture.state.names.intern("group");
  model::SubGroupPolicy policy{.name = "p", .match_label_keys = {key}};
  const JobId job = fixture.job({.name = "j", .sub_groups = {policy}});
  for (const auto& [name, group, priority] :
       {std::tuple{"a0", "a", -5}, std::tuple{"a1", "a", -7}, std::tuple{"b0", "b", -1}}) {
    const auto labels = fixture.state.label_sets.intern(fixture.labels({{"group", group}}));
    fixture.task({.name = name, .group = "j", .labels = labels, .priority = priority}, 1000);
  }
  fixture.open<Priority>();
  ASSERT_EQ(fixture.state.job(job).sub_jobs.size(), 2U);
  EXPECT_TRUE(fixture.session().sub_job_before(job, 1, 0));  // b: −1, a: −5
}

}  // namespace
}  // namespace basalt::plugins
