#include "engine/plugins/drf/drf.h"

#include <gtest/gtest.h>

#include "engine/core/statement.h"
#include "engine/plugins/queue_world.h"

namespace basalt::plugins {
namespace {

using model::JobId;
using model::QueueId;
using model::TaskId;
using model::TaskStatus;

TEST(Drf, TheSmallerDominantShareComesFirst) {
  // a: cpu 2/10 and memory 1/100, share 0.2. b: cpu 1/10 and memory 30/100, share 0.3.
  QueueWorld world;
  world.node("n1", {.cpu = 10, .memory = 100});
  world.queue({.name = "q"});
  const JobId a = world.job("a", "q");
  const JobId b = world.job("b", "q");
  world.task(a, {.cpu = 2, .memory = 1}, TaskStatus::Running, "n1");
  world.task(b, {.cpu = 1, .memory = 30}, TaskStatus::Running, "n1");
  const TaskId next = world.task(a, {.cpu = 2});
  engine::Session& session = world.open<Drf>();
  EXPECT_TRUE(session.job_before(a, b));
  engine::Statement statement(session);
  statement.pipeline(next, world.state.find_node("n1"), false);  // pipelined tasks count: 0.4
  EXPECT_TRUE(session.job_before(b, a));
  statement.rollback(0);
  EXPECT_TRUE(session.job_before(a, b));
  statement.allocate(next, world.state.find_node("n1"));
  EXPECT_TRUE(session.job_before(b, a));
}

TEST(Drf, PreemptsOnlyFromTheRicher) {
  // With its task the preemptor has 0.2. The victim's job has 0.6: 0.4 without one (victim), 0.2 without two (victim:
  // equal), 0 without three (kept).
  QueueWorld world;
  world.node("n1", {.cpu = 10, .memory = 100});
  world.queue({.name = "q"});
  const JobId rich = world.job("rich", "q");
  std::vector<TaskId> running;
  for (int i = 0; i < 3; ++i) running.push_back(world.task(rich, {.cpu = 2}, TaskStatus::Running, "n1"));
  const TaskId wants = world.task(world.job("poor", "q"), {.cpu = 2});
  engine::Session& session = world.open<Drf>();
  EXPECT_EQ(session.preemptable(wants, running), (std::vector<TaskId>{running[0], running[1]}));
}

TEST(Drf, HierarchyComparesAlongThePaths) {
  // Of 11 cpu eng (weight 1) has 4 and sci (weight 2) has 5: 4/11 / 1 against 5/11 / 2.
  QueueWorld world;
  world.node("n1", {.cpu = 11, .memory = 10});
  const QueueId eng = world.queue({.name = "eng", .hierarchy = "root/eng", .hierarchy_weights = "1/1"});
  const QueueId sci = world.queue({.name = "sci", .hierarchy = "root/sci", .hierarchy_weights = "1/2"});
  const JobId je = world.job("je", "eng");
  world.task(je, {.cpu = 4}, TaskStatus::Running, "n1");
  world.task(je, {.cpu = 1});
  const JobId js = world.job("js", "sci");
  const TaskId first = world.task(js, {.cpu = 5}, TaskStatus::Running, "n1");
  const TaskId next = world.task(js, {.cpu = 1, .memory = 1});
  engine::Session& session = world.open<Drf>(/*hierarchy=*/true);
  EXPECT_TRUE(session.queue_before(sci, eng));
  // sci gets 1 cpu more and then has all it requests: saturated queues come last.
  engine::Statement statement(session);
  statement.allocate(next, world.state.find_node("n1"));
  EXPECT_TRUE(session.queue_before(eng, sci));
  statement.rollback(0);
  EXPECT_TRUE(session.queue_before(sci, eng));
  // With 8 cpu eng comes after a sci that has lost its only task, so it may not take it.
  const TaskId wants = world.task(je, {.cpu = 4});
  engine::Session& again = world.open<Drf>(/*hierarchy=*/true);
  EXPECT_TRUE(again.reclaimable(wants, std::vector<TaskId>{first}).empty());
}

}  // namespace
}  // namespace basalt::plugins
