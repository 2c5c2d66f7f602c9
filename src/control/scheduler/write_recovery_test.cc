#include "control/scheduler/write_recovery.h"

#include <gmock/gmock.h>

#include "control/scheduler/scheduler_fixture.h"

namespace basalt::scheduler {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A pod of a gang of one, bound to n1 by a cycle; its bind is under way.
struct RepairTest : testing::Test {
  RepairTest() : repair(cluster.state, cluster.cache) {
    cluster.cache.learn(SchedulerKind::Node, node_object("n1", "4"));
    cluster.cache.learn(SchedulerKind::PodGroup, group_object("g", 1));
    cluster.cache.learn(SchedulerKind::Pod, pod_object({.version = 1}));
    bind = decide_bind();
  }
  PendingWrite decide_bind() {
    const engine::CycleResult result = cluster.cycle(now);
    const state::ReportText text = cluster.text(result);
    CycleOutput out;
    add_binds(
        {.decisions = result.decisions, .state = cluster.state, .text = text, .scheduler_name = "volcano", .now = now},
        out);
    EXPECT_EQ(out.writes.size(), 1U);
    if (out.writes.empty()) return {};
    repair.posted(out.writes[0]);
    return std::move(out.writes[0]);
  }
  void answer(const PendingWrite& write, client::ReplyOrError outcome) {
    repair.answered({.write = write, .outcome = std::move(outcome)}, now);
  }
  static client::ReplyOrError reply(client::ObjectPtr object = nullptr) {
    client::Reply reply;
    reply.object = std::move(object);
    return reply;
  }
  // The reads that are due now.
  std::vector<PendingWrite> reads() {
    CycleOutput out;
    repair.read_due(now, out);
    return std::move(out.writes);
  }
  void pass(Duration length) { now = now + length; }

  SchedulerFixture cluster;
  WriteRecovery repair;
  Instant now = kTestStart;
  PendingWrite bind;
};

TEST_F(RepairTest, ABindThatTheWatchConfirmsNeedsNothing) {
  answer(bind, reply());
  cluster.cache.learn(SchedulerKind::Pod, pod_object({.version = 2, .node = "n1"}));
  pass(kConfirmWithin);
  EXPECT_THAT(reads(), IsEmpty());
  EXPECT_EQ(cluster.task("u0"), "Bound n1");
}

TEST_F(RepairTest, ABindThatNobodyConfirmsIsRead) {
  answer(bind, reply());
  EXPECT_THAT(reads(), IsEmpty());
  pass(kConfirmWithin);
  const auto asked = reads();
  EXPECT_THAT(lines_of(asked), ElementsAre("get pods/p-t-0"));
  answer(asked[0], reply(pod_object({.version = 2, .node = "n1"})));
  EXPECT_EQ(cluster.task("u0"), "Bound n1");
}

TEST_F(RepairTest, ARefusedBindIsTakenBackAndTriedAgainLater) {
  answer(bind, std::unexpected(api::forbidden("", "pods", "p-t-0", "no")));
  auto asked = reads();
  ASSERT_EQ(asked.size(), 1U);
  answer(asked[0], reply(pod_object({.version = 1})));
  EXPECT_EQ(cluster.task("u0"), "Pending - gated");
  EXPECT_THAT(reads(), IsEmpty());
  pass(kFirstPause);
  asked = reads();
  ASSERT_EQ(asked.size(), 1U);
  answer(asked[0], reply(pod_object({.version = 1})));
  EXPECT_EQ(cluster.task("u0"), "Pending -");

  // The second pause is longer.
  bind = decide_bind();
  answer(bind, std::unexpected(api::forbidden("", "pods", "p-t-0", "no")));
  answer(reads().at(0), reply(pod_object({.version = 1})));
  pass(kFirstPause);
  EXPECT_THAT(reads(), IsEmpty());
  pass(kFirstPause);
  EXPECT_EQ(reads().size(), 1U);
}

TEST_F(RepairTest, AnUnsureBindThatHappenedStands) {
  answer(bind, std::unexpected(api::unavailable("lost")));
  EXPECT_EQ(cluster.task("u0"), "Binding n1");  // nobody else gets the place
  EXPECT_THAT(reads(), IsEmpty());              // it may still be on its way
  pass(kFirstPause);
  answer(reads().at(0), reply(pod_object({.version = 2, .node = "n1"})));
  EXPECT_EQ(cluster.task("u0"), "Bound n1");
  pass(kConfirmWithin);
  EXPECT_THAT(reads(), IsEmpty());
}

TEST_F(RepairTest, AReadThatFailsIsRepeatedUntilItAnswers) {
  answer(bind, std::unexpected(api::unavailable("lost")));
  pass(kFirstPause);
  for (int i = 0; i < 10; ++i) {
    const auto asked = reads();
    ASSERT_EQ(asked.size(), 1U) << i;
    answer(asked[0], std::unexpected(api::unavailable("lost again")));
    EXPECT_EQ(cluster.task("u0"), "Binding n1");
    pass(loop::kLastRetry);
  }
  answer(reads().at(0), reply(pod_object({.version = 1})));
  EXPECT_EQ(cluster.task("u0"), "Pending - gated");
}

TEST_F(RepairTest, APodThatIsGoneIsDropped) {
  answer(bind, std::unexpected(api::not_found("", "pods", "p-t-0")));
  answer(reads().at(0), std::unexpected(api::not_found("", "pods", "p-t-0")));
  EXPECT_EQ(cluster.task("u0"), "");
  EXPECT_TRUE(cluster.cache.keys(SchedulerKind::Pod).empty());
}

TEST_F(RepairTest, ANamesakeThatTookItsPlaceIsLearnt) {
  answer(bind, std::unexpected(api::conflict("", "pods", "p-t-0", "another uid")));
  answer(reads().at(0), reply(pod_object({.uid = "u1", .version = 9})));
  EXPECT_EQ(cluster.task("u0"), "");
  EXPECT_EQ(cluster.task("u1"), "Pending -");
}

TEST_F(RepairTest, AnAnswerThatTheWatchOvertookChangesNothing) {
  answer(bind, std::unexpected(api::unavailable("lost")));
  pass(kFirstPause);
  const auto asked = reads();
  cluster.cache.forget(SchedulerKind::Pod, "default/p-t-0");  // its deletion is told meanwhile
  answer(asked.at(0), reply(pod_object({.version = 1})));
  EXPECT_EQ(cluster.task("u0"), "");
}

TEST_F(RepairTest, AVictimThatCouldNotBeDeletedCountsAgainAfterAPause) {
  cluster.cache.learn(SchedulerKind::Pod, pod_object({.version = 2, .node = "n1", .phase = "Running"}));
  PendingWrite removal{.kind = WriteKind::DeleteVictim, .key = "default/p-t-0", .uid = "u0"};
  answer(bind, reply());
  repair.posted(removal);
  cluster.cache.note_evicting("u0", now);
  cluster.cache.learn(SchedulerKind::Pod, pod_object({.version = 3, .node = "n1", .phase = "Running"}));
  EXPECT_EQ(cluster.task("u0"), "Releasing n1");
  answer(removal, std::unexpected(api::forbidden("", "pods", "p-t-0", "no")));
  EXPECT_THAT(reads(), IsEmpty());
  pass(kFirstPause);
  answer(reads().at(0), reply(pod_object({.version = 3, .node = "n1", .phase = "Running"})));
  EXPECT_EQ(cluster.task("u0"), "Running n1");
}

TEST_F(RepairTest, AGroupWhoseStatusWasNotWrittenIsRead) {
  const PendingWrite write{.kind = WriteKind::WriteGroup, .key = "default/g", .uid = "group-g"};
  EXPECT_EQ(cluster.state.job(cluster.state.find_job("default", "g")).status.phase, model::PodGroupPhase::Inqueue);
  answer(write, std::unexpected(api::unavailable("lost")));
  pass(loop::kFirstRetry);
  const auto asked = reads();
  EXPECT_THAT(lines_of(asked), ElementsAre("get podgroups/g"));
  answer(asked.at(0), reply(group_object("g", 1, R"({"phase":"Pending"})", 1)));
  EXPECT_EQ(cluster.state.job(cluster.state.find_job("default", "g")).status.phase, model::PodGroupPhase::Pending);
}

// Bodies that cannot be decoded are counted: an echo with such a body shows that nobody decoded it.
TEST_F(RepairTest, TheEchoOfAStatusThatWasAnsweredIsNotDecoded) {
  const PendingWrite write{.kind = WriteKind::WriteGroup, .key = "default/g", .uid = "group-g"};
  answer(write, reply(group_object("g", 1, R"({"phase":"Pending"})", 5)));
  const client::ObjectPtr echo = group_object("g", 1, R"({"phase":7})", 5);
  EXPECT_FALSE(cluster.cache.learn(SchedulerKind::PodGroup, echo).taken);
  EXPECT_EQ(cluster.cache.bad_objects(), 0U);
  const client::ObjectPtr later = group_object("g", 1, R"({"phase":7})", 6);
  EXPECT_TRUE(cluster.cache.learn(SchedulerKind::PodGroup, later).taken);
  EXPECT_EQ(cluster.cache.bad_objects(), 1U) << "the same body in a later version is decoded";
}

}  // namespace
}  // namespace basalt::scheduler
