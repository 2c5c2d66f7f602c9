#include "engine/plugins/overcommit.h"

#include <gtest/gtest.h>

#include "engine/plugins/queue_world.h"

namespace basalt::plugins {
namespace {

using model::JobId;
using model::PodGroupPhase;
using model::TaskStatus;

TEST(Overcommit, PromisesUpToFactorTimesTotalLessUsed) {
  // 10 · 1.2 − 2 used = 10 may be promised; the Inqueue job lacks 2 of its 4, so 8 are left.
  QueueWorld world;
  world.node("n1", {.cpu = 10, .memory = 100});
  world.queue({.name = "a"});
  world.task(world.job("waits", "a", {.cpu = 4}, PodGroupPhase::Inqueue), {.cpu = 2}, TaskStatus::Bound, "n1");
  const JobId fits = world.job("fits", "a", {.cpu = 8});
  const JobId large = world.job("large", "a", {.cpu = 9});
  const JobId free = world.job("free", "a");
  engine::Session& session = world.open<Overcommit>();
  EXPECT_FALSE(session.job_enqueueable(large));
  EXPECT_EQ(session.result.report.refusals.back().message, "resource in cluster is overused: overused cpu");
  EXPECT_TRUE(session.job_enqueueable(fits));
  session.job_enqueued(fits);
  EXPECT_FALSE(session.job_enqueueable(fits));
  EXPECT_TRUE(session.job_enqueueable(free));
}

TEST(Overcommit, FactorBelowOneIsTheDefault) {
  QueueWorld world;
  world.node("n1", {.cpu = 10, .memory = 100});
  world.queue({.name = "a"});
  const JobId job = world.job("j", "a", {.cpu = 12});
  EXPECT_TRUE(world.open<Overcommit>(false, {{"overcommit-factor", {0.5}}}).job_enqueueable(job));
  EXPECT_FALSE(world.open<Overcommit>(false, {{"overcommit-factor", {1.0}}}).job_enqueueable(job));
  EXPECT_FALSE(Overcommit::make(engine::Arguments({{"overcommit-factor", {std::string("2")}}})).has_value());
}

}  // namespace
}  // namespace basalt::plugins
