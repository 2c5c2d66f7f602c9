// What is written about groups, pods and queues, and how seldom.
#include <gmock/gmock.h>

#include "control/scheduler/group_writes.h"
#include "control/scheduler/pod_writes.h"
#include "control/scheduler/queue_writes.h"
#include "control/scheduler/scheduler_test_world.h"

namespace basalt::scheduler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct StatusWrites : testing::Test {
  explicit StatusWrites(Duration patience_given = {}) : patience(patience_given) {
    cluster.picture.learn(Kind::Node, node_object("n1", "4"));  // together room for two, but not where they stand
    cluster.picture.learn(Kind::Node, node_object("n2", "2"));
    cluster.picture.learn(Kind::PodGroup, group_object("g", 2));
    cluster.picture.learn(Kind::Pod, pod_object({.name = "g-t-0", .uid = "u0", .cpu = "3"}));
    cluster.picture.learn(Kind::Pod, pod_object({.name = "g-t-1", .uid = "u1", .cpu = "3"}));
  }
  Written cycle() {
    const engine::CycleResult result = cluster.cycle(now);
    Written out;
    if (result.skipped) return out;
    const state::ReportText text = cluster.text(result);
    groups.report(result.report, text, ids, now, out);
    pods.report(result.report, text, now, out);
    return out;
  }
  Written due() {
    Written out;
    groups.write_due(now, out);
    pods.write_due(now, out);
    return out;
  }
  static size_t count(const Written& out, Duty duty) {
    return static_cast<size_t>(std::count_if(out.errands.begin(), out.errands.end(),
                                             [&](const Errand& errand) { return errand.duty == duty; }));
  }

  const Duration patience;
  SmallCluster cluster;
  Rng ids{5};
  Instant now = kTestStart;
  GroupWrites groups{cluster.state, cluster.picture, patience};
  PodWrites pods{cluster.state, cluster.picture, patience};
  QueueWrites queues{cluster.state, cluster.picture};
};

TEST_F(StatusWrites, AWaitingGangIsExplainedOnceInVolcanosWords) {
  const Written first = cycle();
  ASSERT_EQ(count(first, Duty::WriteGroup), 1U);
  EXPECT_EQ(count(first, Duty::WritePod), 2U);
  const std::string group = line_of(first.errands[0].call);
  EXPECT_THAT(group, HasSubstr(R"("phase":"Inqueue","running":null,"succeeded":null,"failed":null)"));
  EXPECT_THAT(group, HasSubstr(R"("type":"Unschedulable","status":"True","transitionID":")"));
  EXPECT_THAT(group, HasSubstr(R"("lastTransitionTime":"2026-01-01T00:00:00Z","reason":"NotEnoughResources")"));
  EXPECT_THAT(line_of(first.errands[1].call), HasSubstr(R"("type":"PodScheduled","status":"False")"));
  EXPECT_THAT(line_of(first.errands[1].call), HasSubstr(R"("metadata":{"uid":"u0"})"));

  cluster.picture.learn(Kind::Namespace, parsed(R"({"metadata":{"name":"x","resourceVersion":"3"}})"));
  EXPECT_THAT(cycle().errands, IsEmpty());  // nothing new to say
}

TEST_F(StatusWrites, AMessageThatMovesWaitsItsTurnAndIsNotLost) {
  cycle();
  cluster.picture.learn(Kind::Node, node_object("n3", "1"));
  now = now + Duration::seconds(1);
  EXPECT_THAT(cycle().errands, IsEmpty());
  ASSERT_TRUE(groups.next_due().has_value());
  EXPECT_EQ(*groups.next_due(), kTestStart + kGroupWordsEvery);
  EXPECT_THAT(due().errands, IsEmpty());
  now = kTestStart + kGroupWordsEvery;
  const Written group = due();
  ASSERT_EQ(group.errands.size(), 1U);
  EXPECT_THAT(line_of(group.errands[0].call), HasSubstr("3 Insufficient cpu"));
  now = kTestStart + kPodWordsEvery;
  const Written later = due();
  EXPECT_EQ(count(later, Duty::WritePod), later.errands.size());
  EXPECT_FALSE(later.errands.empty());
  EXPECT_THAT(line_of(later.errands[0].call), testing::Not(HasSubstr("lastTransitionTime")));
  EXPECT_THAT(due().errands, IsEmpty());
}

TEST_F(StatusWrites, WordsWhoseWriteFailedAreWrittenAgainThoughNothingChanges) {
  const Written first = cycle();
  ASSERT_EQ(first.errands[1].duty, Duty::WritePod);
  pods.answered(first.errands[1], /*good=*/false, now);
  ASSERT_TRUE(pods.next_due().has_value());
  now = *pods.next_due();
  const Written again = due();
  ASSERT_EQ(again.errands.size(), 1U);
  EXPECT_EQ(again.errands[0].key, first.errands[1].key);
  EXPECT_EQ(again.errands[0].note, first.errands[1].note);
  pods.answered(again.errands[0], /*good=*/true, now);
  EXPECT_FALSE(pods.next_due().has_value());
}

TEST_F(StatusWrites, AWithdrawalThatFailedIsTriedAgain) {
  Written out;
  pods.withdraw_nomination("default/g-t-0", now, out);
  ASSERT_EQ(out.errands.size(), 1U);
  pods.answered(out.errands[0], /*good=*/false, now);
  now = pods.next_due().value();
  const Written again = due();
  ASSERT_EQ(again.errands.size(), 1U);
  EXPECT_THAT(line_of(again.errands[0].call), HasSubstr(R"("nominatedNodeName":null)"));
}

TEST_F(StatusWrites, ANewMeaningIsWrittenAtOnce) {
  cycle();
  cluster.picture.learn(Kind::Node, node_object("n3", "4"));
  now = now + Duration::seconds(1);
  const Written out = cycle();
  ASSERT_EQ(count(out, Duty::WriteGroup), 1U);
  EXPECT_THAT(line_of(out.errands[0].call), HasSubstr("tasks in gang are ready to be scheduled"));
  EXPECT_THAT(line_of(out.errands[0].call), HasSubstr("NotEnoughResources"));  // the other type stays
}

struct PatientWrites : StatusWrites {
  static constexpr Duration kPatience = Duration::seconds(1);
  PatientWrites() : StatusWrites(kPatience) {}
};

TEST_F(PatientWrites, WhatIsPlacedMeanwhileNeverSaysThatItWaits) {
  EXPECT_THAT(cycle().errands, IsEmpty());  // both pods are there: nobody waits for the phase Inqueue
  cluster.picture.learn(Kind::Node, node_object("n3", "4"));
  now = now + Duration::millis(200);
  EXPECT_THAT(cycle().errands, IsEmpty());
  now = kTestStart + kPatience;
  const Written out = due();
  EXPECT_EQ(count(out, Duty::WritePod), 0U);
  ASSERT_EQ(count(out, Duty::WriteGroup), 1U);  // one write for all that has happened
  EXPECT_THAT(line_of(out.errands[0].call), HasSubstr("tasks in gang are ready to be scheduled"));
  EXPECT_THAT(due().errands, IsEmpty());
}

// Gangs of one pod that have their nodes, more than the credit for good news.
struct BusyWrites : PatientWrites {
  static constexpr int kMore = 10;
  BusyWrites() {
    cluster.picture.learn(Kind::Node, node_object("large", "1000"));
    for (int i = 0; i < kGoodNews.credit + kMore; ++i) {
      const std::string name = fmt::format("s{:03}", i);
      cluster.picture.learn(Kind::PodGroup, group_object(name, 1));
      cluster.picture.learn(Kind::Pod, pod_object({.name = name, .uid = name, .group = name, .cpu = "1"}));
    }
    cycle();
    now = kTestStart + kPatience;
  }
  Written due_while_deciding() {
    groups.busy(now);
    return due();
  }
};

TEST_F(BusyWrites, GoodNewsGoByTheirAllowanceWhileDecisionsGoOut) {
  EXPECT_EQ(count(due_while_deciding(), Duty::WriteGroup), kGoodNews.credit + 0U);
  now = now + Duration{Duration::seconds(1).nanos / kGoodNews.per_second};
  EXPECT_EQ(groups.next_due(), now);
  EXPECT_EQ(count(due_while_deciding(), Duty::WriteGroup), 1U);
}

TEST_F(BusyWrites, GoodNewsGoAtOnceWhenNoDecisionsDo) {
  EXPECT_EQ(count(due(), Duty::WriteGroup), kGoodNews.credit + kMore + 1U);  // g too, which has its nodes
  EXPECT_FALSE(groups.next_due().has_value());
}

TEST_F(BusyWrites, GoodNewsThatChangeStillWait) {
  due_while_deciding();
  now = now + Duration::millis(1);
  cluster.picture.learn(
      Kind::Pod,
      pod_object({.name = "s109", .uid = "s109", .version = 9, .node = "large", .phase = "Running", .group = "s109"}));
  EXPECT_EQ(count(cycle(), Duty::WriteGroup), 0U);
  EXPECT_EQ(count(due_while_deciding(), Duty::WriteGroup), 0U);
}

TEST_F(BusyWrites, GoodNewsWaitOnlySoLong) {
  due_while_deciding();
  now = kTestStart + kGoodNewsWait;
  EXPECT_EQ(count(due_while_deciding(), Duty::WriteGroup), kMore + 1U);
  EXPECT_FALSE(groups.next_due().has_value());
}

TEST_F(PatientWrites, WhatIsNoGoodNewsDoesNotWaitForDecisions) {
  EXPECT_THAT(cycle().errands, IsEmpty());
  now = kTestStart + kPatience;
  groups.busy(now);
  EXPECT_EQ(count(due(), Duty::WriteGroup), 1U);
}

TEST_F(PatientWrites, WhatStillWaitsIsToldAfterwards) {
  EXPECT_THAT(cycle().errands, IsEmpty());
  now = kTestStart + kPatience;
  const Written out = due();
  EXPECT_EQ(count(out, Duty::WritePod), 2U);
  EXPECT_EQ(count(out, Duty::WriteGroup), 1U);
  EXPECT_EQ(out.remarks.size(), 3U);
}

// As the controller makes it for the vcjob `name`.
client::ObjectPtr group_of_job(const std::string& name, int min_member) {
  text::Value group = *group_object(name, min_member);
  group.as_object()["metadata"].as_object()["ownerReferences"] = {
      {{"kind", "Job"}, {"name", name}, {"uid", "job-" + name}, {"controller", true}}};
  return std::make_shared<const text::Value>(std::move(group));
}

TEST_F(PatientWrites, ThePhaseForWhichAJobsControllerWaitsIsWrittenAtOnce) {
  cluster.picture.learn(Kind::PodGroup, group_of_job("h", 3));
  const Written out = cycle();
  ASSERT_EQ(out.errands.size(), 1U);
  EXPECT_EQ(out.errands[0].key, "default/h");
  EXPECT_THAT(line_of(out.errands[0].call), HasSubstr(R"("phase":"Inqueue")"));
}

TEST_F(PatientWrites, WhoeverElseMakesPodsHasAMomentBeforeThePhaseIsWritten) {
  cluster.picture.learn(Kind::PodGroup, group_object("h", 3));
  EXPECT_THAT(cycle().errands, IsEmpty());
  now = now + kMomentForPods;
  const Written out = due();
  ASSERT_EQ(out.errands.size(), 1U);
  EXPECT_EQ(out.errands[0].key, "default/h");
  EXPECT_THAT(line_of(out.errands[0].call), HasSubstr(R"("phase":"Inqueue")"));
}

TEST_F(PatientWrites, PodsThatComeWithinThatMomentSaveAWrite) {
  cluster.picture.learn(Kind::Node, node_object("n3", "4"));
  cluster.picture.learn(Kind::PodGroup, group_object("h", 1));
  EXPECT_THAT(cycle().errands, IsEmpty());
  cluster.picture.learn(Kind::Pod, pod_object({.name = "h-t-0", .uid = "h0", .group = "h", .cpu = "1"}));
  now = now + Duration::millis(50);
  EXPECT_THAT(cycle().errands, IsEmpty());
  now = kTestStart + kMomentForPods;
  EXPECT_THAT(due().errands, IsEmpty());
  now = kTestStart + kPatience;
  const Written out = due();
  ASSERT_EQ(out.errands.size(), 2U);  // the other group is written too
  EXPECT_EQ(out.errands[1].key, "default/h");
  EXPECT_THAT(line_of(out.errands[1].call), HasSubstr("tasks in gang are ready to be scheduled"));
}

TEST_F(StatusWrites, WhatAPodSaysAlreadyIsNotWrittenAgainAfterARestart) {
  const Written first = cycle();
  SmallCluster again;
  again.picture.learn(Kind::Node, node_object("n1", "4"));
  const text::Value* status = text::find_member(first.errands[1].call.body, "status");
  const std::string conditions = text::to_json(*text::find_member(*status, "conditions"));
  again.picture.learn(
      Kind::Pod,
      pod_object({.name = "g-t-0", .uid = "u0", .cpu = "3", .more_status = R"(,"conditions":)" + conditions}));
  const PodRow* row = again.picture.pod("default/g-t-0");
  EXPECT_EQ(row->words.reason, cluster.picture.pod("default/g-t-0")->words.reason);
  EXPECT_EQ(row->words.message, cluster.picture.pod("default/g-t-0")->words.message);
}

TEST_F(StatusWrites, QueuesSayWhatTheirJobsHoldUpToTheRoot) {
  cluster.picture.learn(Kind::Queue, queue_object("root"));
  cluster.picture.learn(Kind::Queue, queue_object("child", "default", R"({"cpu":"1","nvidia.com/gpu":"2"})"));
  cluster.picture.learn(Kind::PodGroup, group_object("h", 1, "{}", 1, "child"));
  cluster.picture.learn(
      Kind::Pod,
      pod_object({.name = "h-t-0", .uid = "u2", .node = "n1", .phase = "Running", .group = "h", .cpu = "1500m"}));
  queues.note_change();
  Written out;
  queues.write_due(now, out);
  std::vector<std::string> lines = lines_of(out.errands);
  std::sort(lines.begin(), lines.end());
  const auto patch = [](std::string_view queue, std::string_view more) {
    return fmt::format(
        R"(patch queues/{0}/status {{"status":{{"allocated":{{"cpu":"1500m","memory":"0","pods":"1"{1}}}}})"
        R"(,"metadata":{{"uid":"queue-{0}"}}}})",
        queue, more);
  };
  EXPECT_THAT(lines, ElementsAre(patch("child", R"(,"nvidia.com/gpu":null)"), patch("default", ""), patch("root", "")));
  for (const Errand& errand : out.errands) queues.answered(errand, true, now);
  cluster.picture.learn(Kind::Queue, queue_object("child", "default", R"({"cpu":"1500m","memory":"0","pods":"1"})", 2));
  queues.note_change();
  Written next;
  queues.write_due(now, next);
  EXPECT_THAT(next.errands, IsEmpty());  // too soon
  now = now + kQueueStatusEvery;
  queues.write_due(now, next);
  EXPECT_EQ(next.errands.size(), 2U);  // not the one that says so
}

TEST_F(StatusWrites, ARingOfQueuesEnds) {
  cluster.picture.learn(Kind::Queue, queue_object("root"));
  cluster.picture.learn(Kind::Queue, queue_object("a", "b"));
  cluster.picture.learn(Kind::Queue, queue_object("b", "a"));
  queues.note_change();
  Written out;
  queues.write_due(now, out);
  EXPECT_EQ(out.errands.size(), 4U);
}

}  // namespace
}  // namespace basalt::scheduler
