#include "control/loop/informer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/loop/informer_fixture.h"
#include "control/loop/work_queue.h"
#include "kube/client/https_object_client.h"

namespace basalt::loop {
namespace {

using client::WatchEventType;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Informer, ListsPageByPageThenWatchesFromThere) {
  InformerFixture fixture;
  fixture.server.pages = {page({"a", "b"}, 5, "more"), page({"c"}, 5)};
  fixture.step();
  EXPECT_THAT(fixture.seen, ElementsAre("[+ a b]", "[ c .]"));
  EXPECT_THAT(fixture.server.log, ElementsAre("list", "list after more", "watch 5"));
  EXPECT_EQ(fixture.server.limit, kPageSize);
  EXPECT_TRUE(fixture.server.last_watch.bookmarks);
  EXPECT_GE(fixture.server.last_watch.timeout_seconds, 300);
  EXPECT_LE(fixture.server.last_watch.timeout_seconds, 600);
  EXPECT_TRUE(fixture.informer.synced().contains(kThings));
  EXPECT_EQ(fixture.informer.next_due(), std::nullopt);
}

TEST(Informer, AWatchThatEndsIsResumedFromTheLastEvent) {
  InformerFixture fixture;
  fixture.server.pages = {page({"a"}, 5)};
  fixture.step();
  fixture.server.take_log();
  fixture.server.deliver(event(WatchEventType::Added, "b", 6));
  fixture.server.deliver(event(WatchEventType::Deleted, "a", 9));
  fixture.server.deliver(ended(504, client::kReasonWatchEnded));
  fixture.step();
  EXPECT_EQ(fixture.informer.next_due(), fixture.now) << "at once: it was a good watch";
  fixture.step();
  EXPECT_THAT(fixture.seen, ElementsAre("[+ a .]", "ADDED b", "DELETED a"));
  EXPECT_THAT(fixture.server.log, ElementsAre("watch 9"));
}

TEST(Informer, ABookmarkMovesThePointWhereItResumes) {
  InformerFixture fixture;
  fixture.server.pages = {page({}, 5)};
  fixture.step();
  fixture.server.deliver(event(WatchEventType::Added, "b", 6));
  fixture.step();
  EXPECT_TRUE(fixture.wake_up.wait(Duration{}));
  fixture.server.deliver(bookmark(40));
  EXPECT_FALSE(fixture.wake_up.wait(Duration{})) << "nobody is woken for it";
  fixture.server.deliver(ended(504, client::kReasonNoAnswer));
  fixture.step();
  fixture.server.take_log();
  fixture.step();
  EXPECT_THAT(fixture.server.log, ElementsAre("watch 40"));
  fixture.server.deliver(ended(504, client::kReasonWatchEnded));
  fixture.step();
  fixture.wait_and_step();
  EXPECT_THAT(fixture.server.log, ElementsAre("watch 40", "watch 40"));
}

TEST(Informer, AVersionThatTheServerHasForgottenNeedsAList) {
  InformerFixture fixture;
  fixture.server.pages = {page({"a", "b"}, 5)};
  fixture.step();
  fixture.server.deliver(event(WatchEventType::Added, "c", 6));
  fixture.server.deliver(ended(410, "Expired"));
  fixture.server.pages = {page({"b", "c"}, 70)};
  fixture.step();
  fixture.step();
  EXPECT_THAT(fixture.seen, ElementsAre("[+ a b .]", "ADDED c", "[+ b c .]"));
  EXPECT_THAT(fixture.server.log, ElementsAre("list", "watch 5", "list", "watch 70"));
}

TEST(Informer, WhatMakesNoSenseNeedsAList) {
  const std::vector<client::WatchEvent> nonsense{
      ended(504, client::kReasonUnreadable),
      {.type = WatchEventType::Error, .object = nullptr},
      {.type = WatchEventType::Modified, .object = nullptr},
      {.type = WatchEventType::Modified, .object = std::make_shared<const text::Value>("text")},
      {.type = WatchEventType::Added, .object = std::make_shared<const text::Value>(text::Object{})}};
  for (const client::WatchEvent& bad : nonsense) {
    InformerFixture fixture;
    fixture.server.pages = {page({"a"}, 5)};
    fixture.step();
    fixture.server.take_log();
    fixture.server.deliver(bad);
    fixture.server.deliver(event(WatchEventType::Added, "late", 7));
    fixture.step();
    fixture.wait_and_step();
    EXPECT_THAT(fixture.seen, ElementsAre("[+ a .]", "[+ a .]"));
    EXPECT_THAT(fixture.server.log, ElementsAre("list", "watch 5"));
  }
}

TEST(Informer, AWatchThatKeepsEndingAtOnceIsTriedLaterAndLaterAndThenListed) {
  InformerFixture fixture;
  fixture.server.pages = {page({"a"}, 5)};
  fixture.step();
  std::vector<Duration> pauses;
  for (int i = 0; i < kMaxFailedWatches; ++i) {
    fixture.server.take_log();
    fixture.server.deliver(ended(500, "InternalError"));
    fixture.step();
    pauses.push_back(*fixture.informer.next_due() - fixture.now);
    fixture.wait_and_step();
  }
  EXPECT_THAT(fixture.server.log, ElementsAre("list", "watch 5"));
  EXPECT_EQ(pauses[0], Duration{});
  for (size_t i = 1; i < pauses.size(); ++i) {
    EXPECT_GE(pauses[i].nanos, (kFirstRetry.nanos << i) / 2);
    EXPECT_LE(pauses[i].nanos, kFirstRetry.nanos << i);
  }
}

TEST(Informer, AWatchThatLivedIsNotInVain) {
  InformerFixture fixture;
  fixture.server.pages = {page({"a"}, 5)};
  fixture.step();
  fixture.server.take_log();
  for (int i = 0; i < 2 * kMaxFailedWatches; ++i) {
    fixture.now = fixture.now + kSteadyWatch;
    fixture.server.deliver(ended(504, client::kReasonWatchEnded));
    fixture.step();
    EXPECT_EQ(fixture.informer.next_due(), fixture.now);
    fixture.step();
  }
  EXPECT_THAT(fixture.server.log, testing::Each("watch 5"));
}

TEST(Informer, AServerThatIsAwayIsNoReasonForAList) {
  InformerFixture fixture;
  fixture.server.pages = {page({"a"}, 5)};
  fixture.step();
  fixture.server.take_log();
  for (int i = 0; i < 40; ++i) {
    fixture.server.deliver(ended(503, client::kReasonNotReached));
    fixture.step();
    EXPECT_LE((*fixture.informer.next_due() - fixture.now).nanos, Duration::seconds(5).nanos);
    fixture.wait_and_step();
  }
  EXPECT_THAT(fixture.server.log, testing::Each("watch 5"));
}

TEST(Informer, WaitsAsLongAsTheServerAsksFor) {
  InformerFixture fixture;
  fixture.server.pages = {std::unexpected(api::too_many_requests("later", 4)), page({"a"}, 5)};
  fixture.step();
  EXPECT_EQ(fixture.informer.next_due(), fixture.now + Duration::seconds(4));
  fixture.wait_and_step();
  fixture.server.deliver(ended(429, "TooManyRequests", 3));
  fixture.step();
  EXPECT_EQ(fixture.informer.next_due(), fixture.now + Duration::seconds(3));
}

TEST(Informer, AKindThatNobodyServesHasNoObjects) {
  InformerFixture fixture;
  fixture.server.pages = {std::unexpected(api::no_such_path())};
  for (int i = 0; i < 20; ++i) fixture.wait_and_step();
  EXPECT_THAT(fixture.seen, testing::Each("[+ .]"));
  EXPECT_TRUE(fixture.informer.synced().contains(kThings));
  EXPECT_GE((*fixture.informer.next_due() - fixture.now).nanos, kLastRetry.nanos / 2);
  fixture.server.pages = {page({"a"}, 5)};
  fixture.take_seen();
  fixture.wait_and_step();
  EXPECT_THAT(fixture.seen, ElementsAre("[+ a .]"));
}

TEST(Informer, AKindThatWasServedIsNotGivenUpWhileAServerStarts) {
  InformerFixture fixture;
  fixture.server.pages = {page({"a"}, 5)};
  fixture.step();
  fixture.take_seen();
  fixture.server.deliver(ended(404, "NotFound"));
  fixture.server.pages = {std::unexpected(api::no_such_path())};
  fixture.step();
  const Instant missed = fixture.now;
  while (fixture.seen.empty()) fixture.wait_and_step();
  EXPECT_THAT(fixture.seen, ElementsAre("[+ .]"));
  EXPECT_GE((fixture.now - missed).nanos, kUnknownBeforeGone.nanos);
  EXPECT_LE((fixture.now - missed).nanos, (kUnknownBeforeGone.nanos + Duration::seconds(6).nanos));
}

TEST(Informer, AKindThatIsServedAgainWasNeverGone) {
  InformerFixture fixture;
  fixture.server.pages = {page({"a"}, 5)};
  fixture.step();
  fixture.take_seen();
  fixture.server.deliver(ended(410, "Expired"));
  fixture.server.pages = {std::unexpected(api::no_such_path()), std::unexpected(api::no_such_path()), page({"a"}, 9)};
  for (int i = 0; i < 4; ++i) fixture.wait_and_step();
  EXPECT_THAT(fixture.seen, ElementsAre("[+ a .]"));
}

TEST(Informer, AListThatBreaksOffBeginsAnew) {
  InformerFixture fixture;
  fixture.server.pages = {page({"a"}, 5, "more"), std::unexpected(api::expired("too old")), page({"a", "b"}, 9)};
  fixture.step();
  EXPECT_FALSE(fixture.informer.synced().contains(kThings));
  fixture.wait_and_step();
  EXPECT_THAT(fixture.seen, ElementsAre("[+ a]", "[+ a b .]"));
  EXPECT_THAT(fixture.server.log, ElementsAre("list", "list after more", "list", "watch 9"));
}

TEST(Informer, NothingWaitsForAServerThatIsSilent) {
  InformerFixture fixture;
  fixture.server.holding = true;
  fixture.step();
  fixture.step();
  EXPECT_THAT(fixture.server.log, ElementsAre("list"));
  EXPECT_EQ(fixture.informer.next_due(), std::nullopt);
  EXPECT_FALSE(fixture.wake_up.wait(Duration{}));
  fixture.server.held[0](page({"a"}, 5, "more"));
  EXPECT_TRUE(fixture.wake_up.wait(Duration{}));
  fixture.step();
  fixture.server.held[1](page({"b"}, 5));
  fixture.step();
  EXPECT_THAT(fixture.seen, ElementsAre("[+ a]", "[ b .]"));
  EXPECT_THAT(fixture.server.log, ElementsAre("list", "list after more", "watch 5"));
}

TEST(Informer, AnswersThatComeTooLateAreNotTaken) {
  std::vector<std::function<void(client::ReplyOrError)>> held;
  {
    InformerFixture fixture;
    fixture.server.holding = true;
    fixture.step();
    fixture.informer.follow(kThings, kThingsResource, kNever, "a=b");
    fixture.step();
    fixture.server.held[0](page({"old"}, 5));
    fixture.step();
    EXPECT_THAT(fixture.seen, IsEmpty());
    fixture.informer.leave(kThings);
    fixture.server.held[1](page({"old"}, 5));
    fixture.step();
    EXPECT_THAT(fixture.seen, IsEmpty());
    fixture.informer.follow(kThings, kThingsResource, kNever);
    fixture.step();
    held = std::move(fixture.server.held);
  }
  held[2](page({"old"}, 5));  // there is no informer any more, and no wake_up
}

TEST(Informer, AnInboxThatIsFullGoesOnFromTheLastEventThatHadRoom) {
  InformerFixture fixture;
  fixture.server.pages = {page({}, 5)};
  fixture.step();
  fixture.server.take_log();
  for (size_t i = 0; i < kMaxInbox + 2; ++i) {
    fixture.server.deliver(event(WatchEventType::Added, "x", 100 + static_cast<int>(i)));
  }
  fixture.server.deliver(bookmark(1'000'000));  // of after the loss
  fixture.step();
  EXPECT_EQ(fixture.seen.size(), 1 + kMaxInbox);
  fixture.step();
  EXPECT_THAT(fixture.server.log, ElementsAre("watch " + std::to_string(100 + kMaxInbox - 1)));
}

}  // namespace
}  // namespace basalt::loop
