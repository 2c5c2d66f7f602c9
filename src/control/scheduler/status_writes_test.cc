// What is written about groups, pods and queues, and how seldom.
#include <gmock/gmock.h>

#include "control/scheduler/group_writes.h"
#include "control/scheduler/pod_writes.h"
#include "control/scheduler/queue_writes.h"
#include "control/scheduler/scheduler_fixture.h"

namespace basalt::scheduler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct StatusWrites : testing::Test {
  explicit StatusWrites(Duration patience_given = {}) : patience(patience_given) {
    cluster.cache.learn(SchedulerKind::Node,
                        node_object("n1", "4"));  // together room for two, but not where they stand
    cluster.cache.learn(SchedulerKind::Node, node_object("n2", "2"));
    cluster.cache.learn(SchedulerKind::PodGroup, group_object("g", 2));
    cluster.cache.learn(SchedulerKind::Pod, pod_object({.name = "g-t-0", .uid = "u0", .cpu = "3"}));
    cluster.cache.learn(SchedulerKind::Pod, pod_object({.name = "g-t-1", .uid = "u1", .cpu = "3"}));
  }
  CycleOutput cycle() {
    const engine::CycleResult result = cluster.cycle(now);
    CycleOutput out;
    if (result.skipped) return out;
    const state::ReportText text = cluster.text(result);
    groups.report(result.report, text, ids, now, out);
    pods.report(result.report, text, now, out);
    return out;
  }
  CycleOutput due() {
    CycleOutput out;
    groups.write_due(now, out);
    pods.write_due(now, out);
    return out;
  }
  static size_t count(const CycleOutput& out, WriteKind kind) {
    return static_cast<size_t>(std::count_if(out.writes.begin(), out.writes.end(),
                                             [&](const PendingWrite& write) { return write.kind == kind; }));
  }

  const Duration patience;
  SchedulerFixture cluster;
  Rng ids{5};
  Instant now = kTestStart;
  GroupWrites groups{cluster.state, cluster.cache, patience};
  PodWrites pods{cluster.state, cluster.cache, patience};
  QueueWrites queues{cluster.state, cluster.cache};
};

TEST_F(StatusWrites, AWaitingGangIsExplainedOnceInVolcanosWords) {
  const CycleOutput first = cycle();
  ASSERT_EQ(count(first, WriteKind::WriteGroup), 1U);
  EXPECT_EQ(count(first, WriteKind::WritePod), 2U);
  const std::string group = line_of(first.writes[0].call);
  EXPECT_THAT(group, HasSubstr(R"("phase":"Inqueue","running":null,"succeeded":null,"failed":null)"));
  EXPECT_THAT(group, HasSubstr(R"("type":"Unschedulable","status":"True","transitionID":")"));
  EXPECT_THAT(group, HasSubstr(R"("lastTransitionTime":"2026-01-01T00:00:00Z","reason":"NotEnoughResources")"));
  EXPECT_THAT(line_of(first.writes[1].call), HasSubstr(R"("type":"PodScheduled","status":"False")"));
  EXPECT_THAT(line_of(first.writes[1].call), HasSubstr(R"("metadata":{"uid":"u0"})"));

  cluster.cache.learn(SchedulerKind::Namespace, parsed(R"({"metadata":{"name":"x","resourceVersion":"3"}})"));
  EXPECT_THAT(cycle().writes, IsEmpty());  // nothing new to say
}

TEST_F(StatusWrites, AMessageThatMovesWaitsItsTurnAndIsNotLost) {
  cycle();
  cluster.cache.learn(SchedulerKind::Node, node_object("n3", "1"));
  now = now + Duration::seconds(1);
  EXPECT_THAT(cycle().writes, IsEmpty());
  ASSERT_TRUE(groups.next_due().has_value());
  EXPECT_EQ(*groups.next_due(), kTestStart + kGroupMessageEvery);
  EXPECT_THAT(due().writes, IsEmpty());
  now = kTestStart + kGroupMessageEvery;
  const CycleOutput group = due();
  ASSERT_EQ(group.writes.size(), 1U);
  EXPECT_THAT(line_of(group.writes[0].call), HasSubstr("3 Insufficient cpu"));
  now = kTestStart + kPodMessageEvery;
  const CycleOutput later = due();
  EXPECT_EQ(count(later, WriteKind::WritePod), later.writes.size());
  EXPECT_FALSE(later.writes.empty());
  EXPECT_THAT(line_of(later.writes[0].call), testing::Not(HasSubstr("lastTransitionTime")));
  EXPECT_THAT(due().writes, IsEmpty());
}

TEST_F(StatusWrites, WordsWhoseWriteFailedAreWrittenAgainThoughNothingChanges) {
  const CycleOutput first = cycle();
  ASSERT_EQ(first.writes[1].kind, WriteKind::WritePod);
  pods.answered(first.writes[1], /*good=*/false, now);
  ASSERT_TRUE(pods.next_due().has_value());
  now = *pods.next_due();
  const CycleOutput again = due();
  ASSERT_EQ(again.writes.size(), 1U);
  EXPECT_EQ(again.writes[0].key, first.writes[1].key);
  EXPECT_EQ(again.writes[0].note, first.writes[1].note);
  pods.answered(again.writes[0], /*good=*/true, now);
  EXPECT_FALSE(pods.next_due().has_value());
}

TEST_F(StatusWrites, AWithdrawalThatFailedIsTriedAgain) {
  CycleOutput out;
  pods.withdraw_nomination("default/g-t-0", now, out);
  ASSERT_EQ(out.writes.size(), 1U);
  pods.answered(out.writes[0], /*good=*/false, now);
  now = pods.next_due().value();
  const CycleOutput again = due();
  ASSERT_EQ(again.writes.size(), 1U);
  EXPECT_THAT(line_of(again.writes[0].call), HasSubstr(R"("nominatedNodeName":null)"));
}

TEST_F(StatusWrites, ANewMeaningIsWrittenAtOnce) {
  cycle();
  cluster.cache.learn(SchedulerKind::Node, node_object("n3", "4"));
  now = now + Duration::seconds(1);
  const CycleOutput out = cycle();
  ASSERT_EQ(count(out, WriteKind::WriteGroup), 1U);
  EXPECT_THAT(line_of(out.writes[0].call), HasSubstr("tasks in gang are ready to be scheduled"));
  EXPECT_THAT(line_of(out.writes[0].call), HasSubstr("NotEnoughResources"));  // the other type stays
}

struct PatientWrites : StatusWrites {
  static constexpr Duration kPatience = Duration::seconds(1);
  PatientWrites() : StatusWrites(kPatience) {}
};

TEST_F(PatientWrites, WhatIsPlacedMeanwhileNeverSaysThatItWaits) {
  EXPECT_THAT(cycle().writes, IsEmpty());  // both pods are there: nobody waits for the phase Inqueue
  cluster.cache.learn(SchedulerKind::Node, node_object("n3", "4"));
  now = now + Duration::millis(200);
  EXPECT_THAT(cycle().writes, IsEmpty());
  now = kTestStart + kPatience;
  const CycleOutput out = due();
  EXPECT_EQ(count(out, WriteKind::WritePod), 0U);
  ASSERT_EQ(count(out, WriteKind::WriteGroup), 1U);  // one write for all that has happened
  EXPECT_THAT(line_of(out.writes[0].call), HasSubstr("tasks in gang are ready to be scheduled"));
  EXPECT_THAT(due().writes, IsEmpty());
}

// Gangs of one pod that have their nodes, more than the credit for good news.
struct BusyWrites : PatientWrites {
  static constexpr int kMore = 10;
  BusyWrites() {
    cluster.cache.learn(SchedulerKind::Node, node_object("large", "1000"));
    for (int i = 0; i < kReadyStatusRate.credit + kMore; ++i) {
      const std::string name = fmt::format("s{:03}", i);
      cluster.cache.learn(SchedulerKind::PodGroup, group_object(name, 1));
      cluster.cache.learn(SchedulerKind::Pod, pod_object({.name = name, .uid = name, .group = name, .cpu = "1"}));
    }
    cycle();
    now = kTestStart + kPatience;
  }
  CycleOutput due_while_deciding() {
    groups.busy(now);
    return due();
  }
};

TEST_F(BusyWrites, GoodNewsGoByTheirAllowanceWhileDecisionsGoOut) {
  EXPECT_EQ(count(due_while_deciding(), WriteKind::WriteGroup), kReadyStatusRate.credit + 0U);
  now = now + Duration{Duration::seconds(1).nanos / kReadyStatusRate.per_second};
  EXPECT_EQ(groups.next_due(), now);
  EXPECT_EQ(count(due_while_deciding(), WriteKind::WriteGroup), 1U);
}

TEST_F(BusyWrites, GoodNewsGoAtOnceWhenNoDecisionsDo) {
  EXPECT_EQ(count(due(), WriteKind::WriteGroup), kReadyStatusRate.credit + kMore + 1U);  // g too, which has its nodes
  EXPECT_FALSE(groups.next_due().has_value());
}

TEST_F(BusyWrites, GoodNewsThatChangeStillWait) {
  due_while_deciding();
  now = now + Duration::millis(1);
  cluster.cache.learn(
      SchedulerKind::Pod,
      pod_object({.name = "s109", .uid = "s109", .version = 9, .node = "large", .phase = "Running", .group = "s109"}));
  EXPECT_EQ(count(cycle(), WriteKind::WriteGroup), 0U);
  EXPECT_EQ(count(due_while_deciding(), WriteKind::WriteGroup), 0U);
}

TEST_F(BusyWrites, GoodNewsWaitOnlySoLong) {
  due_while_deciding();
  now = kTestStart + kReadyStatusWait;
  EXPECT_EQ(count(due_while_deciding(), WriteKind::WriteGroup), kMore + 1U);
  EXPECT_FALSE(groups.next_due().has_value());
}

TEST_F(PatientWrites, WhatIsNoGoodNewsDoesNotWaitForDecisions) {
  EXPECT_THAT(cycle().writes, IsEmpty());
  now = kTestStart + kPatience;
  groups.busy(now);
  EXPECT_EQ(count(due(), WriteKind::WriteGroup), 1U);
}

TEST_F(PatientWrites, WhatStillWaitsIsToldAfterwards) {
  EXPECT_THAT(cycle().writes, IsEmpty());
  now = kTestStart + kPatience;
  const CycleOutput out = due();
  EXPECT_EQ(count(out, WriteKind::WritePod), 2U);
  EXPECT_EQ(count(out, WriteKind::WriteGroup), 1U);
  EXPECT_EQ(out.events.size(), 3U);
}

// As the controller makes it for the vcjob `name`.
client::ObjectPtr group_of_job(const std::string& name, int min_member) {
  text::Value group = *group_object(name, min_member);
  group.as_object()["metadata"].as_object()["ownerReferences"] = {{{"apiVersion", "batch.volcano.sh/v1alpha1"},
                                                                   {"kind", "Job"},
                                                                   {"name", name},
                                                                   {"uid", "job-" + name},
                                                                   {"controller", true}}};
  return std::make_shared<const text::Value>(std::move(group));
}

TEST_F(PatientWrites, ThePhaseForWhichAJobsControllerWaitsIsWrittenAtOnce) {
  cluster.cache.learn(SchedulerKind::PodGroup, group_of_job("h", 3));
  const CycleOutput out = cycle();
  ASSERT_EQ(out.writes.size(), 1U);
  EXPECT_EQ(out.writes[0].key, "default/h");
  EXPECT_THAT(line_of(out.writes[0].call), HasSubstr(R"("phase":"Inqueue")"));
}

TEST_F(PatientWrites, WhoeverElseMakesPodsHasAMomentBeforeThePhaseIsWritten) {
  cluster.cache.learn(SchedulerKind::PodGroup, group_object("h", 3));
  EXPECT_THAT(cycle().writes, IsEmpty());
  now = now + kWaitForPods;
  const CycleOutput out = due();
  ASSERT_EQ(out.writes.size(), 1U);
  EXPECT_EQ(out.writes[0].key, "default/h");
  EXPECT_THAT(line_of(out.writes[0].call), HasSubstr(R"("phase":"Inqueue")"));
}

TEST_F(PatientWrites, PodsThatComeWithinThatMomentSaveAWrite) {
  cluster.cache.learn(SchedulerKind::Node, node_object("n3", "4"));
  cluster.cache.learn(SchedulerKind::PodGroup, group_object("h", 1));
  EXPECT_THAT(cycle().writes, IsEmpty());
  cluster.cache.learn(SchedulerKind::Pod, pod_object({.name = "h-t-0", .uid = "h0", .group = "h", .cpu = "1"}));
  now = now + Duration::millis(50);
  EXPECT_THAT(cycle().writes, IsEmpty());
  now = kTestStart + kWaitForPods;
  EXPECT_THAT(due().writes, IsEmpty());
  now = kTestStart + kPatience;
  const CycleOutput out = due();
  ASSERT_EQ(out.writes.size(), 2U);  // the other group is written too
  EXPECT_EQ(out.writes[1].key, "default/h");
  EXPECT_THAT(line_of(out.writes[1].call), HasSubstr("tasks in gang are ready to be scheduled"));
}

TEST_F(StatusWrites, WhatAPodSaysAlreadyIsNotWrittenAgainAfterARestart) {
  const CycleOutput first = cycle();
  SchedulerFixture again;
  again.cache.learn(SchedulerKind::Node, node_object("n1", "4"));
  const text::Value* status = text::find_member(first.writes[1].call.body, "status");
  const std::string conditions = text::to_json(*text::find_member(*status, "conditions"));
  again.cache.learn(
      SchedulerKind::Pod,
      pod_object({.name = "g-t-0", .uid = "u0", .cpu = "3", .more_status = R"(,"conditions":)" + conditions}));
  const PodRow* row = again.cache.pod("default/g-t-0");
  EXPECT_EQ(row->words.reason, cluster.cache.pod("default/g-t-0")->words.reason);
  EXPECT_EQ(row->words.message, cluster.cache.pod("default/g-t-0")->words.message);
}

TEST_F(StatusWrites, QueuesSayWhatTheirJobsHoldUpToTheRoot) {
  cluster.cache.learn(SchedulerKind::Queue, queue_object("root"));
  cluster.cache.learn(SchedulerKind::Queue, queue_object("child", "default", R"({"cpu":"1","nvidia.com/gpu":"2"})"));
  cluster.cache.learn(SchedulerKind::PodGroup, group_object("h", 1, "{}", 1, "child"));
  cluster.cache.learn(
      SchedulerKind::Pod,
      pod_object({.name = "h-t-0", .uid = "u2", .node = "n1", .phase = "Running", .group = "h", .cpu = "1500m"}));
  queues.note_change();
  CycleOutput out;
  queues.write_due(now, out);
  std::vector<std::string> lines = lines_of(out.writes);
  std::sort(lines.begin(), lines.end());
  const auto patch = [](std::string_view queue, std::string_view more) {
    return fmt::format(
        R"(patch queues/{0}/status {{"status":{{"allocated":{{"cpu":"1500m","memory":"0","pods":"1"{1}}}}})"
        R"(,"metadata":{{"uid":"queue-{0}"}}}})",
        queue, more);
  };
  EXPECT_THAT(lines, ElementsAre(patch("child", R"(,"nvidia.com/gpu":null)"), patch("default", ""), patch("root", "")));
  for (const PendingWrite& write : out.writes) queues.answered(write, true, now);
  cluster.cache.learn(SchedulerKind::Queue,
                      queue_object("child", "default", R"({"cpu":"1500m","memory":"0","pods":"1"})", 2));
  queues.note_change();
  CycleOutput next;
  queues.write_due(now, next);
  EXPECT_THAT(next.writes, IsEmpty());  // too soon
  now = now + kQueueStatusEvery;
  queues.write_due(now, next);
  EXPECT_EQ(next.writes.size(), 2U);  // not the one that says so
}

TEST_F(StatusWrites, ARingOfQueuesEnds) {
  cluster.cache.learn(SchedulerKind::Queue, queue_object("root"));
  cluster.cache.learn(SchedulerKind::Queue, queue_object("a", "b"));
  cluster.cache.learn(SchedulerKind::Queue, queue_object("b", "a"));
  queues.note_change();
  CycleOutput out;
  queues.write_due(now, out);
  EXPECT_EQ(out.writes.size(), 4U);
}

}  // namespace
}  // namespace basalt::scheduler
