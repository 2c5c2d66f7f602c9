#include "engine/plugins/resourcequota.h"

#include <gtest/gtest.h>

#include "engine/plugins/queue_fixture.h"

namespace basalt::plugins {
namespace {

TEST(ResourceQuotaPlugin, UsedAndAdmittedCountAgainstHard) {
  QueueFixture fixture;
  fixture.queue({.name = "a"});
  fixture.state.limits.quotas["ns/q"] = {
      .ns = "ns", .name = "q", .hard = fixture.quota({.cpu = 4}), .used = fixture.quota({.cpu = 1})};
  fixture.state.limits.quotas["other/q"] = {.ns = "other", .name = "q", .hard = fixture.quota({.memory = 1})};
  const model::JobId job = fixture.job("j", "a", {.cpu = 2, .memory = 64});
  engine::Session& session = fixture.open<ResourceQuotaPlugin>();
  EXPECT_TRUE(session.job_enqueueable(job));  // 1 + 2 ≤ 4; memory has no limit here
  session.job_enqueued(job);
  EXPECT_FALSE(session.job_enqueueable(job));  // 1 + 2 + 2 > 4
  EXPECT_EQ(session.result.report.refusals.back().message,
            "resource quota insufficient, requested: map[cpu:2], used: map[cpu:1], limited: map[cpu:4]");
}

}  // namespace
}  // namespace basalt::plugins
