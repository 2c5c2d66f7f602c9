#include "engine/plugins/resourcequota.h"

#include <gtest/gtest.h>

#include "engine/plugins/queue_world.h"

namespace basalt::plugins {
namespace {

TEST(ResourceQuota, UsedAndAdmittedCountAgainstHard) {
  QueueWorld world;
  world.queue({.name = "a"});
  world.state.limits.quotas["ns/q"] = {
      .ns = "ns", .name = "q", .hard = world.quota({.cpu = 4}), .used = world.quota({.cpu = 1})};
  world.state.limits.quotas["other/q"] = {.ns = "other", .name = "q", .hard = world.quota({.memory = 1})};
  const model::JobId job = world.job("j", "a", {.cpu = 2, .memory = 64});
  engine::Session& session = world.open<ResourceQuota>();
  EXPECT_TRUE(session.job_enqueueable(job));  // 1 + 2 ≤ 4; memory has no limit here
  session.job_enqueued(job);
  EXPECT_FALSE(session.job_enqueueable(job));  // 1 + 2 + 2 > 4
  EXPECT_EQ(session.result.report.refusals.back().message,
            "resource quota insufficient, requested: map[cpu:2], used: map[cpu:1], limited: map[cpu:4]");
}

}  // namespace
}  // namespace basalt::plugins
