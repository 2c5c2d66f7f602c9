#include "engine/plugins/capacity/capacity.h"

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

TEST(Capacity, GuaranteesOfOthersAreOutOfReach) {
  // 10 cpu, 3 guaranteed to b: a may have 7, and deserves no more although its spec says 8.
  QueueFixture fixture;
  fixture.node("n1", {.cpu = 10, .memory = 100});
  const QueueId a = fixture.queue({.name = "a", .deserved = fixture.quota({.cpu = 8})});
  fixture.queue({.name = "b", .guarantee = fixture.quota({.cpu = 3})});
  const JobId job = fixture.job("j", "a");
  fixture.task(job, {.cpu = 5}, TaskStatus::Running, "n1");
  const TaskId fits = fixture.task(job, {.cpu = 2});
  const TaskId large = fixture.task(job, {.cpu = 3});
  engine::Session& session = fixture.open<Capacity>();
  EXPECT_TRUE(session.allocatable(a, fits));
  EXPECT_FALSE(session.allocatable(a, large));
  EXPECT_TRUE(session.preemptive(a, fits));  // 5 + 2 ≤ 7 deserved
}

TEST(Capacity, BestEffortQueuesComeAfterAllThatLackSomething) {
  QueueFixture fixture;
  fixture.node("n1", {.cpu = 10, .memory = 100});
  const QueueId low = fixture.queue({.name = "low", .deserved = fixture.quota({.cpu = 4})});
  const QueueId full = fixture.queue({.name = "zfull", .deserved = fixture.quota({.cpu = 2})});
  const QueueId none = fixture.queue({.name = "anone"});
  const QueueId urgent = fixture.queue({.name = "urgent", .priority = 1});
  fixture.task(fixture.job("jl", "low"), {.cpu = 3}, TaskStatus::Running, "n1");
  fixture.task(fixture.job("jf", "zfull"), {.cpu = 2}, TaskStatus::Running, "n1");
  fixture.job("jn", "anone");
  fixture.job("ju", "urgent");
  engine::Session& session = fixture.open<Capacity>();
  EXPECT_TRUE(session.queue_before(urgent, low));
  EXPECT_TRUE(session.queue_before(low, full));   // 0.75 < 1
  EXPECT_TRUE(session.queue_before(full, none));  // both 1, but one deserves something
}

TEST(Capacity, ReclaimKeepsGuaranteeAndDeserved) {
  // a holds 6, deserves 3 and is guaranteed 2. Newest first: 6 > 3, 4 > 3, then 2 is not above 3.
  QueueFixture fixture;
  fixture.node("n1", {.cpu = 10, .memory = 100});
  fixture.queue({.name = "a", .guarantee = fixture.quota({.cpu = 2}), .deserved = fixture.quota({.cpu = 3})});
  fixture.queue({.name = "b", .deserved = fixture.quota({.cpu = 7})});
  const JobId ja = fixture.job("ja", "a");
  std::vector<TaskId> running;
  for (int i = 0; i < 3; ++i) running.push_back(fixture.task(ja, {.cpu = 2}, TaskStatus::Running, "n1"));
  const TaskId memory_only = fixture.task(fixture.job("jm", "b"), {.memory = 1});
  const TaskId wants = fixture.task(fixture.job("jb", "b"), {.cpu = 4});
  engine::Session& session = fixture.open<Capacity>();
  EXPECT_EQ(session.reclaimable(wants, running), (std::vector<TaskId>{running[1], running[2]}));
  EXPECT_TRUE(session.reclaimable(memory_only, running).empty());  // nothing in common
}

// root ─ dept (capability 6) ─ team-a (deserved 2), team-b (deserved 4)
//      └ lab (deserved 4)
struct Tree : QueueFixture {
  Tree() {
    node("n1", {.cpu = 20, .memory = 100});
    root = queue({.name = "root"});
    dept = queue({.name = "dept", .capability = quota({.cpu = 6}), .deserved = quota({.cpu = 6})});
    team_a = queue({.name = "team-a", .parent = "dept", .deserved = quota({.cpu = 2})});
    team_b = queue({.name = "team-b", .parent = "dept", .deserved = quota({.cpu = 4})});
    lab = queue({.name = "lab", .deserved = quota({.cpu = 4})});
  }
  QueueId root, dept, team_a, team_b, lab;
};

TEST(CapacityTree, AncestorsLimitTheirDescendants) {
  Tree fixture;
  fixture.task(fixture.job("ja", "team-a"), {.cpu = 4}, TaskStatus::Running, "n1");
  const JobId jb = fixture.job("jb", "team-b");
  const TaskId fits = fixture.task(jb, {.cpu = 2});
  const TaskId large = fixture.task(jb, {.cpu = 3});
  const JobId enters = fixture.job("enters", "team-b", {.cpu = 2});
  const JobId waits = fixture.job("waits", "team-b", {.cpu = 7});
  engine::Session& session = fixture.open<Capacity>(/*hierarchy=*/true);
  EXPECT_TRUE(session.allocatable(fixture.team_b, fits));
  EXPECT_FALSE(session.allocatable(fixture.team_b, large));  // 4 + 3 > 6 of dept
  // dept holds 4, all elastic: 2 + 4 − 4 ≤ 6, 7 + 4 − 4 > 6.
  EXPECT_TRUE(session.job_enqueueable(enters));
  EXPECT_FALSE(session.job_enqueueable(waits));
}

TEST(CapacityTree, OrderFollowsTheBranches) {
  Tree fixture;
  const JobId ja = fixture.job("ja", "team-a");
  fixture.task(ja, {.cpu = 1}, TaskStatus::Running, "n1");
  const TaskId next = fixture.task(ja, {.cpu = 3});
  fixture.job("jb", "team-b");
  fixture.task(fixture.job("jl", "lab"), {.cpu = 1}, TaskStatus::Running, "n1");
  for (const bool stale : {false, true}) {
    engine::Session& session = fixture.open<Capacity>(/*hierarchy=*/true, {{"staleAncestorShares", {stale}}});
    EXPECT_TRUE(session.queue_before(fixture.team_a, fixture.lab));  // dept 1/6 < lab 1/4
    EXPECT_TRUE(session.queue_before(fixture.team_b, fixture.team_a));
    EXPECT_TRUE(session.victim_queue_before(fixture.team_b, fixture.lab, fixture.team_a));  // kin first
    engine::Statement statement(session);
    statement.allocate(next, fixture.state.find_node("n1"));
    EXPECT_EQ(session.queue_before(fixture.lab, fixture.team_b), !stale);  // dept 4/6 > lab 1/4
  }
}

TEST(CapacityTree, ABrokenQueueStopsOnlyItself) {
  Tree fixture;
  const QueueId lost = fixture.queue({.name = "lost", .parent = "nowhere"});
  const QueueId ring_a = fixture.queue({.name = "ring-a", .parent = "ring-b"});
  fixture.queue({.name = "ring-b", .parent = "ring-a"});
  const TaskId in_lost = fixture.task(fixture.job("j1", "lost"), {.cpu = 1});
  const TaskId in_ring = fixture.task(fixture.job("j2", "ring-a"), {.cpu = 1});
  const TaskId in_inner = fixture.task(fixture.job("j3", "dept"), {.cpu = 1});
  const TaskId in_lab = fixture.task(fixture.job("j4", "lab"), {.cpu = 1});
  engine::Session& session = fixture.open<Capacity>(/*hierarchy=*/true);
  EXPECT_FALSE(session.allocatable(lost, in_lost));
  EXPECT_FALSE(session.allocatable(ring_a, in_ring));
  EXPECT_FALSE(session.allocatable(fixture.dept, in_inner));
  EXPECT_TRUE(session.allocatable(fixture.lab, in_lab));
}

TEST(CapacityTree, AncestorsTakePartInReclaim) {
  // team-a (deserved 2) holds 4, dept (deserved 6) holds 4: with level 1 dept has not more than it deserves.
  Tree fixture;
  const TaskId running = fixture.task(fixture.job("ja", "team-a"), {.cpu = 4}, TaskStatus::Running, "n1");
  const TaskId wants = fixture.task(fixture.job("jl", "lab"), {.cpu = 2});
  const TaskId kin = fixture.task(fixture.job("jb", "team-b"), {.cpu = 2});
  engine::Session& flat = fixture.open<Capacity>(/*hierarchy=*/true);
  EXPECT_EQ(flat.reclaimable(wants, std::vector{running}), std::vector{running});
  engine::Session& deep = fixture.open<Capacity>(/*hierarchy=*/true, {{"ancestorReclaimLevel", {int64_t{1}}}});
  EXPECT_TRUE(deep.reclaimable(wants, std::vector{running}).empty());
  EXPECT_EQ(deep.reclaimable(kin, std::vector{running}), std::vector{running});  // dept is common to both
}

}  // namespace
}  // namespace basalt::plugins
