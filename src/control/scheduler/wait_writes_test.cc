// Why gangs wait, as it is written to groups and pods.
#include "control/scheduler/wait_writes.h"

#include <gmock/gmock.h>

#include <sstream>

#include "control/scheduler/scheduler_fixture.h"

namespace basalt::scheduler {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct WaitsTest : testing::Test {
  WaitsTest() {
    cluster.cache.learn(SchedulerKind::Node, node_object("n1", "4"));
    cluster.cache.learn(SchedulerKind::Node, node_object("n2", "4"));
    occupy("base", "2");
  }
  // Room on n2.
  void occupy(const std::string& name, const std::string& cpu) {
    cluster.cache.learn(
        SchedulerKind::Pod,
        pod_object({.name = name, .uid = name, .node = "n2", .phase = "Running", .group = "", .cpu = cpu}));
  }
  void add_gang(const std::string& name, int pods, const std::string& cpu, const std::string& more_spec = "") {
    cluster.cache.learn(SchedulerKind::PodGroup, group_object(name, pods));
    for (int i = 0; i < pods; ++i) {
      const std::string pod = fmt::format("{}-t-{}", name, i);
      cluster.cache.learn(SchedulerKind::Pod,
                          pod_object({.name = pod, .uid = pod, .group = name, .cpu = cpu, .more_spec = more_spec}));
    }
  }
  // A cycle, and what is due a moment later. The lines of all writes, one below the other.
  std::string step() {
    CycleOutput out;
    const engine::CycleResult result = cluster.cycle(now);
    if (!result.skipped) {
      const state::ReportText text = cluster.text(result);
      groups.report(result.report, text, ids, now, out);
      pods.report(result.report, text, now, out);
      waits.learn(result.report, text, now);
    }
    waits.write_due(ids, now, out);
    now = now + kGroupMessageEvery + kPodMessageEvery;
    waits.write_due(ids, now, out);
    groups.write_due(now, out);
    pods.write_due(now, out);
    std::string lines;
    for (const std::string& line : lines_of(out.writes)) lines += line + "\n";
    return lines;
  }

  SchedulerFixture cluster;
  Rng ids{5};
  Instant now = kTestStart + Duration::seconds(10);
  GroupWrites groups{cluster.state, cluster.cache, {}};
  PodWrites pods{cluster.state, cluster.cache, {}};
  WaitWrites waits{cluster.state, groups, pods, {}};
};

TEST_F(WaitsTest, AGangThatWaitsSaysWhyWithNumbersUntilItIsPlaced) {
  add_gang("g", 2, "3");
  EXPECT_THAT(step(), HasSubstr(R"("reason":"Fragmented","message":"needs 2 × 3 cpu; largest free blocks 4, 2")"));
  EXPECT_THAT(step(), IsEmpty());  // nothing new to say
  cluster.cache.learn(SchedulerKind::Node, node_object("n3", "3"));
  const std::string placed = step();
  EXPECT_THAT(placed, HasSubstr(R"("type":"Waiting","status":"False")"));
  EXPECT_THAT(placed, HasSubstr(R"("reason":"Placed")"));
  EXPECT_THAT(placed, Not(HasSubstr("largest free blocks")));
}

TEST_F(WaitsTest, NumbersThatOthersMoveAreRenewedThoughTheGangIsNotTriedAgain) {
  add_gang("g", 2, "3");
  step();
  occupy("alone", "1");
  EXPECT_THAT(step(), HasSubstr(R"("message":"needs 6 cpu; the cluster has 5 of 8 free")"));
}

TEST_F(WaitsTest, WhoIsPlacedWithinASecondNeverSaysThatItWaited) {
  add_gang("g", 2, "3");
  const engine::CycleResult result = cluster.cycle(now);
  waits.learn(result.report, cluster.text(result), now);
  CycleOutput out;
  waits.write_due(ids, now, out);
  EXPECT_TRUE(out.writes.empty());
  EXPECT_EQ(waits.next_due(), now + kWaitsEvery);
  cluster.cache.learn(SchedulerKind::Node, node_object("n3", "3"));
  EXPECT_THAT(step(), Not(HasSubstr("Waiting")));
}

TEST_F(WaitsTest, WhatCanNeverRunSaysSo) {
  add_gang("g", 2, "3");
  add_gang("large", 3, "3");
  add_gang("wide", 1, "5");
  const std::string lines = step();
  EXPECT_THAT(lines, HasSubstr(R"("NeverFits","message":"needs 9 cpu, the cluster has 8: cannot ever run")"));
  EXPECT_THAT(lines, HasSubstr("needs 5 cpu in one pod, the largest node has 4: cannot ever run"));
}

TEST_F(WaitsTest, APodThatHasAPlaceButNoGangIsUnschedulableToAutoscalers) {
  add_gang("g", 2, "3");
  const std::string lines = step() + step();
  EXPECT_THAT(lines, Not(HasSubstr(R"("reason":"Schedulable")")));
  EXPECT_THAT(lines, HasSubstr(R"("reason":"Unschedulable","message":"needs 2 × 3 cpu; largest free blocks 4, 2")"));
}

TEST_F(WaitsTest, AGangBehindGatesIsToldInVolcanosWordsAndOursAndPlacedOnceTheyGo) {
  cluster.cache.learn(SchedulerKind::PodGroup, group_object("g", 2));
  step();  // let in; its pods come later
  const std::string gates = R"(,"schedulingGates":[{"name":"a.io/x"},{"name":"b.io/y"}])";
  add_gang("g", 2, "1", gates);
  const std::string lines = step();
  EXPECT_THAT(lines, HasSubstr(R"("type":"Unschedulable","status":"True")"));
  EXPECT_THAT(lines, HasSubstr("2/2 tasks in gang unschedulable"));
  EXPECT_THAT(lines, HasSubstr(R"("Gated","message":"held by scheduling gates a.io/x, b.io/y: 2 of 2 pods")"));
  for (const char* pod : {"g-t-0", "g-t-1"}) {
    cluster.cache.learn(SchedulerKind::Pod,
                        pod_object({.name = pod, .uid = pod, .version = 2, .group = "g", .cpu = "1"}));
  }
  EXPECT_THAT(step(), HasSubstr(R"("type":"Waiting","status":"False")"));
  EXPECT_THAT(cluster.task("g-t-0"), HasSubstr("Binding"));
}

TEST_F(WaitsTest, OfManyWhoseNumbersMoveAllAreRenewedInTurn) {
  constexpr int kGangs = static_cast<int>(kMaxRenewed) + 20;
  occupy("one", "1");
  for (int i = 0; i < kGangs; ++i) add_gang(fmt::format("g{:03}", i), 2, "3");
  step();
  occupy("two", "1");
  const auto renewed = [](const std::string& lines) {
    size_t count = 0;
    std::istringstream rest(lines);
    for (std::string line; std::getline(rest, line);) {
      if (line.contains("podgroups/") && line.contains("has 4 of 8 free")) ++count;
    }
    return count;
  };
  EXPECT_EQ(renewed(step()), kMaxRenewed);
  step();
  for (int i = 0; i < kGangs; ++i) {
    const model::Job& job = cluster.state.job(cluster.state.find_job("default", fmt::format("g{:03}", i)));
    ASSERT_FALSE(job.status.conditions.empty());
    EXPECT_EQ(job.status.conditions.back().message, "needs 6 cpu; the cluster has 4 of 8 free") << job.id;
  }
}

}  // namespace
}  // namespace basalt::scheduler
