#include "engine/plugins/overcommit.h"

#include <gtest/gtest.h>

#include "engine/plugins/queue_fixture.h"

namespace basalt::plugins {
namespace {

using model::JobId;
using model::PodGroupPhase;
using model::TaskStatus;

TEST(Overcommit, PromisesUpToFactorTimesTotalLessUsed) {
  // 10 · 1.2 − 2 used = 10 may be promised; the Inqueue job lacks 2 of its 4, so 8 are left.
  QueueFixture fixture;
  fixture.node("n1", {.cpu = 10, .memory = 100});
  fixture.queue({.name = "a"});
  fixture.task(fixture.job("waits", "a", {.cpu = 4}, PodGroupPhase::Inqueue), {.cpu = 2}, TaskStatus::Bound, "n1");
  const JobId fits = fixture.job("fits", "a", {.cpu = 8});
  const JobId large = fixture.job("large", "a", {.cpu = 9});
  const JobId free = fixture.job("free", "a");
  engine::Session& session = fixture.open<Overcommit>();
  EXPECT_FALSE(session.job_enqueueable(large));
  EXPECT_EQ(session.result.report.refusals.back().message, "resource in cluster is overused: overused cpu");
  EXPECT_TRUE(session.job_enqueueable(fits));
  session.job_enqueued(fits);
  EXPECT_FALSE(session.job_enqueueable(fits));
  EXPECT_TRUE(session.job_enqueueable(free));
}

TEST(Overcommit, FactorBelowOneIsTheDefault) {
  QueueFixture fixture;
  fixture.node("n1", {.cpu = 10, .memory = 100});
  fixture.queue({.name = "a"});
  const JobId job = fixture.job("j", "a", {.cpu = 12});
  EXPECT_TRUE(fixture.open<Overcommit>(false, {{"overcommit-factor", {0.5}}}).job_enqueueable(job));
  EXPECT_FALSE(fixture.open<Overcommit>(false, {{"overcommit-factor", {1.0}}}).job_enqueueable(job));
  EXPECT_FALSE(Overcommit::make(engine::Arguments({{"overcommit-factor", {std::string("2")}}})).has_value());
}

}  // namespace
}  // namespace basalt::plugins
