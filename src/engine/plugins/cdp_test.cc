#include "engine/plugins/cdp.h"

#include <gtest/gtest.h>

#include "engine/plugins/plugin_fixture.h"

namespace basalt::plugins {
namespace {

using model::TaskId;

TEST(Cdp, protects_running_pods_until_their_cooldown_ends) {
  PluginFixture fixture;
  fixture.node({.name = "n", .cpu = 8000});
  const Instant minute_ago = fixture.now + Duration::seconds(-60);
  const auto pod = [&](const char* name, int64_t cooldown, model::TaskStatus status) {
    return fixture.task({.name = name,
                         .node_name = "n",
                         .status = status,
                         .scheduled_at = minute_ago,
                         .cooldown = Duration::seconds(cooldown)},
                        1000);
  };
  const TaskId fresh = pod("fresh", 61, model::TaskStatus::Running);
  const TaskId over = pod("over", 60, model::TaskStatus::Running);
  const TaskId bound = pod("bound", 61, model::TaskStatus::Bound);
  const TaskId plain = pod("plain", 0, model::TaskStatus::Running);
  fixture.open<Cdp>();
  EXPECT_EQ(fixture.session().preemptable(plain, std::vector{over, bound, plain}), (std::vector{over, bound, plain}));
  EXPECT_FALSE(fixture.session().hooks.depends_on_time);
  EXPECT_EQ(fixture.session().reclaimable(plain, std::vector{fresh, plain}), std::vector{plain});
  EXPECT_TRUE(fixture.session().hooks.depends_on_time);
}

}  // namespace
}  // namespace basalt::plugins
