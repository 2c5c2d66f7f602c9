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
    CycleOutput out = cycle();
    waits.write_due(ids, now, out);
    now = now + kGroupMessageEvery + kPodMessageEvery;
    return due(std::move(out));
  }
  // A cycle as soon as waits are looked at again, and what is due at that moment.
  std::string round() {
    now = now + kWaitsEvery;
    return due(cycle());
  }
  CycleOutput cycle() {
    CycleOutput out;
    const engine::CycleResult result = cluster.cycle(now);
    if (result.skipped) return out;
    const state::ReportText text = cluster.text(result);
    groups.report(result.report, text, ids, now, out);
    pods.report(result.report, text, now, out);
    waits.learn(result.report, text, now);
    return out;
  }
  std::string due(CycleOutput out = {}) {
    waits.write_due(ids, now, out);
    groups.write_due(now, out);
    pods.write_due(now, out);
    std::string lines;
    for (const std::string& line : lines_of(out.writes)) lines += line + "\n";
    return lines;
  }
  // A gang of two or more that is not let in: what it needs at least is not there.
  void add_gang_outside(const std::string& name, const std::string& minimum) {
    text::Value group = *group_object(name, 2);
    group.as_object()["spec"].as_object()["minResources"] = {{"cpu", minimum}};
    cluster.cache.learn(SchedulerKind::PodGroup, std::make_shared<const text::Value>(std::move(group)));
  }
  void add_pods(const std::string& group, size_t count, const std::string& cpu) {
    for (size_t i = 0; i < count; ++i) {
      const std::string pod = fmt::format("{}-t-{}", group, i);
      cluster.cache.learn(SchedulerKind::Pod, pod_object({.name = pod, .uid = pod, .group = group, .cpu = cpu}));
    }
  }
  // The group of the vcjob "job", which has no pods: the cluster is full.
  void add_job_outside() {
    fill_cluster();
    text::Value group = *group_object("job-1", 1);
    group.as_object()["spec"].as_object()["minResources"] = {{"cpu", "2"}};
    group.as_object()["metadata"].as_object()["ownerReferences"] =
        text::Array{text::Object{{"apiVersion", "batch.volcano.sh/v1alpha1"},
                                 {"kind", "Job"},
                                 {"name", "job"},
                                 {"uid", "j"},
                                 {"controller", true}}};
    cluster.cache.learn(SchedulerKind::PodGroup, std::make_shared<const text::Value>(std::move(group)));
  }
  // What is read of jobs after a second of waiting; nothing is told before.
  std::vector<PendingWrite> job_reads() {
    EXPECT_THAT(round(), Not(HasSubstr("Waiting")));
    now = now + kWaitsEvery;
    CycleOutput out;
    waits.write_due(ids, now, out);
    templates.read_due(now, out);
    templates.read_due(now, out);  // once
    return std::move(out.writes);
  }
  void fill_cluster() {
    occupy("more", "2");
    cluster.cache.learn(
        SchedulerKind::Pod,
        pod_object({.name = "full", .uid = "full", .node = "n1", .phase = "Running", .group = "", .cpu = "4"}));
  }

  SchedulerFixture cluster;
  Rng ids{5};
  Instant now = kTestStart + Duration::seconds(10);
  GroupWrites groups{cluster.state, cluster.cache, {}};
  PodWrites pods{cluster.state, cluster.cache, {}};
  JobTemplates templates{cluster.state, cluster.cache};
  WaitWrites waits{cluster.state, {.groups = groups, .pods = pods, .templates = templates}, {}};
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

TEST_F(WaitsTest, AGangOutsideWhosePodsNoNodeTakesSaysSoFromTheTemplatesOfItsJob) {
  add_job_outside();
  std::vector<PendingWrite> reads = job_reads();
  ASSERT_EQ(lines_of(reads), std::vector<std::string>{"get jobs/job"});
  client::Reply reply;
  reply.object = parsed(R"({"metadata":{"name":"job","namespace":"default","uid":"j"},"spec":{"tasks":[{"name":"t",
      "replicas":1,"template":{"spec":{"nodeSelector":{"disk":"ssd"},"containers":[{"name":"c","resources":
      {"requests":{"cpu":"2"}}}]}}}]}})");
  templates.answered({.write = std::move(reads[0]), .outcome = std::move(reply)}, now);
  waits.look_again(now);
  EXPECT_THAT(step(), HasSubstr("no node matches: 2 of 2 have other labels than the node selector or affinity asks "
                                "for: cannot ever run"));
}

TEST_F(WaitsTest, AJobThatCannotBeReadIsToldByItsMinimum) {
  add_job_outside();
  std::vector<PendingWrite> reads = job_reads();
  ASSERT_EQ(reads.size(), 1U);
  templates.answered({.write = std::move(reads[0]), .outcome = std::unexpected(api::unauthorized())}, now);
  waits.look_again(now);
  EXPECT_THAT(step(), HasSubstr("needs 2 cpu; the cluster has 0 of 8 free"));
}

TEST_F(WaitsTest, APodThatHasAPlaceButNoGangIsUnschedulableToAutoscalers) {
  add_gang("g", 2, "3");
  const std::string lines = step() + step();
  EXPECT_THAT(lines, Not(HasSubstr(R"("reason":"Schedulable")")));
  EXPECT_THAT(lines, HasSubstr(R"("reason":"Unschedulable","message":"needs 2 × 3 cpu; largest free blocks 4, 2")"));
}

TEST_F(WaitsTest, PodsOfAGangThatIsNotLetInAreUnschedulableToAutoscalers) {
  fill_cluster();
  add_gang_outside("g", "3");
  EXPECT_THAT(step(), HasSubstr(R"("message":"needs 3 cpu; the cluster has 0 of 8 free")"));
  add_pods("g", 2, "1500m");  // its pods come later, and change nothing in the sentence
  const std::string lines = step();
  for (const char* pod : {"g-t-0", "g-t-1"}) {
    EXPECT_THAT(lines,
                HasSubstr(fmt::format(R"(patch pods/{}/status {{"status":{{"conditions":[{{"type":"PodScheduled",)"
                                      R"("status":"False","reason":"Unschedulable","message":"needs 3 cpu; the )"
                                      R"(cluster has 0 of 8 free")",
                                      pod)));
  }
  EXPECT_THAT(step(), IsEmpty());
}

TEST_F(WaitsTest, APodThatNobodyLookedAtSaysWhyItsGangWaitsNotHowManyItHas) {
  fill_cluster();
  add_gang_outside("g", "3");
  add_pods("g", 2, "1500m");
  step();
  step();
  const PodRow* pod = cluster.cache.pod("default/g-t-0");
  ASSERT_NE(pod, nullptr);
  EXPECT_EQ(pod->words.message, text_hash("needs 3 cpu; the cluster has 0 of 8 free"));
}

TEST_F(WaitsTest, ThousandsOfSuchPodsAreToldByAnAllowance) {
  constexpr size_t kPods = 700;
  fill_cluster();
  add_gang_outside("g", "3");
  step();
  add_pods("g", kPods, "1500m");
  const auto told = [](const std::string& lines) {
    size_t count = 0;
    for (size_t at = lines.find("patch pods/"); at != std::string::npos; at = lines.find("patch pods/", at + 1))
      ++count;
    return count;
  };
  const size_t first = told(round());
  EXPECT_EQ(first, static_cast<size_t>(kGangWordsRate.credit));
  ASSERT_TRUE(pods.next_due().has_value());
  now = now + Duration::seconds(1);
  const size_t second = told(due());
  EXPECT_LE(second, static_cast<size_t>(kGangWordsRate.per_second) + 1);
  now = now + Duration::seconds(5);
  EXPECT_EQ(first + second + told(due()), kPods);
  // Numbers that move are no reason to write them all again soon.
  occupy("tiny", "0");
  cluster.cache.learn(SchedulerKind::Node, node_object("n3", "1"));
  now = now + Duration::seconds(60);
  EXPECT_EQ(told(round() + due()), 0U);
  now = now + kGangNumbersEvery;
  EXPECT_GT(told(due()), 0U);
}

TEST_F(WaitsTest, ThatPodsAreMissingIsNoNewsForAMoment) {
  fill_cluster();
  add_gang_outside("g", "3");
  step();
  cluster.cache.learn(SchedulerKind::Node, node_object("n3", "4"));  // it is let in, and its pods will be made
  EXPECT_THAT(round(), Not(HasSubstr("PodsMissing")));
  now = now + Duration::seconds(1);
  EXPECT_THAT(due(), Not(HasSubstr("PodsMissing")));
  now = now + kPodsMissingPatience;
  EXPECT_THAT(due(), HasSubstr(R"("reason":"PodsMissing","message":"has 0 of the 2 pods that it needs")"));
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
