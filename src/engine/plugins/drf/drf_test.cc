#include "engine/plugins/drf/drf.h"

#include <gtest/gtest.h>

#include "engine/core/statement.h"
#include "engine/plugins/queue_fixture.h"

namespace basalt::plugins {
namespace {

using model::JobId;
using model::QueueId;
using model::TaskId;
using model::TaskStatus;

TEST(Drf, TheSmallerDominantShareComesFirst) {
  // a: cpu 2/10 and memory 1/100, share 0.2. b: cpu 1/10 and memory 30/100, share 0.3.
  QueueFixture fixture;
  fixture.node("n1", {.cpu = 10, .memory = 100});
  fixture.queue({.name = "q"});
  const JobId a = fixture.job("a", "q");
  const JobId b = fixture.job("b", "q");
  fixture.task(a, {.cpu = 2, .memory = 1}, TaskStatus::Running, "n1");
  fixture.task(b, {.cpu = 1, .memory = 30}, TaskStatus::Running, "n1");
  const TaskId next = fixture.task(a, {.cpu = 2});
  engine::Session& session = fixture.open<Drf>();
  EXPECT_TRUE(session.job_before(a, b));
  engine::Statement statement(session);
  statement.pipeline(next, fixture.state.find_node("n1"), false);  // pipelined tasks count: 0.4
  EXPECT_TRUE(session.job_before(b, a));
  statement.rollback(0);
  EXPECT_TRUE(session.job_before(a, b));
  statement.allocate(next, fixture.state.find_node("n1"));
  EXPECT_TRUE(session.job_before(b, a));
}

TEST(Drf, PreemptsOnlyFromTheRicher) {
  // With its task the preemptor has 0.2. The victim's job has 0.6: 0.4 without one (victim), 0.2 without two (victim:
  // equal), 0 without three (kept).
  QueueFixture fixture;
  fixture.node("n1", {.cpu = 10, .memory = 100});
  fixture.queue({.name = "q"});
  const JobId rich = fixture.job("rich", "q");
  std::vector<TaskId> running;
  for (int i = 0; i < 3; ++i) running.push_back(fixture.task(rich, {.cpu = 2}, TaskStatus::Running, "n1"));
  const TaskId wants = fixture.task(fixture.job("poor", "q"), {.cpu = 2});
  engine::Session& session = fixture.open<Drf>();
  EXPECT_EQ(session.preemptable(wants, running), (std::vector<TaskId>{running[0], running[1]}));
}

TEST(Drf, HierarchyComparesAlongThePaths) {
  // Of 11 cpu eng (weight 1) has 4 and sci (weight 2) has 5: 4/11 / 1 against 5/11 / 2.
  QueueFixture fixture;
  fixture.node("n1", {.cpu = 11, .memory = 10});
  const QueueId eng = fixture.queue({.name = "eng", .hierarchy = "root/eng", .hierarchy_weights = "1/1"});
  const QueueId sci = fixture.queue({.name = "sci", .hierarchy = "root/sci", .hierarchy_weights = "1/2"});
  const JobId je = fixture.job("je", "eng");
  fixture.task(je, {.cpu = 4}, TaskStatus::Running, "n1");
  fixture.task(je, {.cpu = 1});
  const JobId js = fixture.job("js", "sci");
  const TaskId first = fixture.task(js, {.cpu = 5}, TaskStatus::Running, "n1");
  const TaskId next = fixture.task(js, {.cpu = 1, .memory = 1});
  engine::Session& session = fixture.open<Drf>(/*hierarchy=*/true);
  EXPECT_TRUE(session.queue_before(sci, eng));
  // sci gets 1 cpu more and then has all it requests: saturated queues come last.
  engine::Statement statement(session);
  statement.allocate(next, fixture.state.find_node("n1"));
  EXPECT_TRUE(session.queue_before(eng, sci));
  statement.rollback(0);
  EXPECT_TRUE(session.queue_before(sci, eng));
  // With 8 cpu eng comes after a sci that has lost its only task, so it may not take it.
  const TaskId wants = fixture.task(je, {.cpu = 4});
  engine::Session& again = fixture.open<Drf>(/*hierarchy=*/true);
  EXPECT_TRUE(again.reclaimable(wants, std::vector<TaskId>{first}).empty());
}

}  // namespace
}  // namespace basalt::plugins
