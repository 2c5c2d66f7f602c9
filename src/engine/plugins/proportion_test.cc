#include "engine/plugins/proportion.h"

#include <gtest/gtest.h>

#include "engine/core/statement.h"
#include "engine/plugins/queue_fixture.h"

namespace basalt::plugins {
namespace {

using model::JobId;
using model::PodGroupPhase;
using model::QueueId;
using model::TaskId;
using model::TaskStatus;

TEST(Proportion, QueuesGetTheirPartAndNoMore) {
  // cpu 10, weights 1:1; a requests 2, b 10: a deserves 2, b 8.
  QueueFixture fixture;
  fixture.node("n1", {.cpu = 10, .memory = 100});
  const QueueId a = fixture.queue({.name = "a"});
  const QueueId b = fixture.queue({.name = "b"});
  const QueueId idle = fixture.queue({.name = "idle"});
  fixture.task(fixture.job("ja", "a"), {.cpu = 2}, TaskStatus::Running, "n1");
  const JobId jb = fixture.job("jb", "b");
  for (int i = 0; i < 3; ++i) fixture.task(jb, {.cpu = 2}, TaskStatus::Running, "n1");
  const TaskId fits = fixture.task(jb, {.cpu = 2});
  const TaskId large = fixture.task(jb, {.cpu = 3});
  engine::Session& session = fixture.open<Proportion>();
  EXPECT_TRUE(session.overused(a));
  EXPECT_FALSE(session.overused(b));
  EXPECT_FALSE(session.overused(idle));
  EXPECT_TRUE(session.queue_before(b, a));  // 6/8 against 2/2
  EXPECT_TRUE(session.allocatable(b, fits));
  EXPECT_FALSE(session.allocatable(b, large));  // 6 + 3 > 8
  engine::Statement statement(session);
  statement.allocate(fits, fixture.state.find_node("n1"));
  EXPECT_TRUE(session.queue_before(a, b));  // both 1: by name
  EXPECT_FALSE(session.overused(b));        // it requests 5 pods, deserves them and has 4
  statement.rollback(0);
  EXPECT_TRUE(session.queue_before(b, a));
}

TEST(Proportion, ReclaimStopsAtDeserved) {
  // 1:1 of 8 cpu: a deserves 4 and holds 6, so the first victim brings it to 4 and the second is kept.
  QueueFixture fixture;
  fixture.node("n1", {.cpu = 8, .memory = 100});
  fixture.queue({.name = "a"});
  fixture.queue({.name = "b"});
  const JobId ja = fixture.job("ja", "a");
  std::vector<TaskId> running;
  for (int i = 0; i < 3; ++i) running.push_back(fixture.task(ja, {.cpu = 2}, TaskStatus::Running, "n1"));
  const TaskId wants = fixture.task(fixture.job("jb", "b"), {.cpu = 8});
  engine::Session& session = fixture.open<Proportion>();
  EXPECT_EQ(session.reclaimable(wants, running), std::vector<TaskId>{running[0]});
}

TEST(Proportion, EnqueueCountsPromisesAndLeavesOutElastic) {
  // capability 10. Running: holds 6 of which 4 are its minimum, so 2 are elastic. Inqueue: 3 promised, 1 held.
  // 6 + 1 + (3 − 1) − 2 = 7 are taken.
  QueueFixture fixture;
  fixture.node("n1", {.cpu = 20, .memory = 100});
  fixture.queue({.name = "a", .capability = fixture.quota({.cpu = 10})});
  fixture.task(fixture.job("runs", "a", {.cpu = 4}, PodGroupPhase::Running), {.cpu = 6}, TaskStatus::Running, "n1");
  fixture.task(fixture.job("waits", "a", {.cpu = 3}, PodGroupPhase::Inqueue), {.cpu = 1}, TaskStatus::Bound, "n1");
  const JobId small = fixture.job("small", "a", {.cpu = 3});
  const JobId large = fixture.job("large", "a", {.cpu = 4});
  engine::Session& session = fixture.open<Proportion>();
  EXPECT_TRUE(session.job_enqueueable(small));
  EXPECT_FALSE(session.job_enqueueable(large));
  ASSERT_EQ(session.result.report.refusals.size(), 1U);
  EXPECT_EQ(session.result.report.refusals[0].message, "queue resource quota insufficient: insufficient cpu");
  session.job_enqueued(small);
  EXPECT_FALSE(session.job_enqueueable(small));
}

TEST(Proportion, AClosedQueueTakesNothing) {
  QueueFixture fixture;
  fixture.node("n1", {.cpu = 8, .memory = 100});
  const QueueId a = fixture.queue({.name = "a", .state = model::QueueState::Closed});
  const JobId job = fixture.job("j", "a", {.cpu = 1});
  const TaskId task = fixture.task(job, {.cpu = 1});
  engine::Session& session = fixture.open<Proportion>();
  EXPECT_FALSE(session.job_enqueueable(job));
  EXPECT_FALSE(session.allocatable(a, task));
}

}  // namespace
}  // namespace basalt::plugins
