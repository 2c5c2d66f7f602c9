#include "control/loop/object_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/loop/feed_test_world.h"
#include "control/loop/work_queue.h"
#include "kube/client/https_client.h"

namespace basalt::loop {
namespace {

using client::EventType;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(ObjectFeed, ListsPageByPageThenWatchesFromThere) {
  FeedWorld world;
  world.server.pages = {page({"a", "b"}, 5, "more"), page({"c"}, 5)};
  world.step();
  EXPECT_THAT(world.told, ElementsAre("[+ a b]", "[ c .]"));
  EXPECT_THAT(world.server.log, ElementsAre("list", "list after more", "watch 5"));
  EXPECT_EQ(world.server.limit, kPageSize);
  EXPECT_TRUE(world.server.last_watch.bookmarks);
  EXPECT_GE(world.server.last_watch.timeout_seconds, 300);
  EXPECT_LE(world.server.last_watch.timeout_seconds, 600);
  EXPECT_TRUE(world.feed.synced().contains(kThings));
  EXPECT_EQ(world.feed.next_due(), std::nullopt);
}

TEST(ObjectFeed, AWatchThatEndsIsResumedFromTheLastEvent) {
  FeedWorld world;
  world.server.pages = {page({"a"}, 5)};
  world.step();
  world.server.take_log();
  world.server.tell(event(EventType::Added, "b", 6));
  world.server.tell(event(EventType::Deleted, "a", 9));
  world.server.tell(ended(504, client::kReasonWatchEnded));
  world.step();
  EXPECT_EQ(world.feed.next_due(), world.now) << "at once: it was a good watch";
  world.step();
  EXPECT_THAT(world.told, ElementsAre("[+ a .]", "ADDED b", "DELETED a"));
  EXPECT_THAT(world.server.log, ElementsAre("watch 9"));
}

TEST(ObjectFeed, ABookmarkMovesThePointWhereItResumes) {
  FeedWorld world;
  world.server.pages = {page({}, 5)};
  world.step();
  world.server.tell(event(EventType::Added, "b", 6));
  world.step();
  EXPECT_TRUE(world.bell.wait(Duration{}));
  world.server.tell(bookmark(40));
  EXPECT_FALSE(world.bell.wait(Duration{})) << "nobody is woken for it";
  world.server.tell(ended(504, client::kReasonNoAnswer));
  world.step();
  world.server.take_log();
  world.step();
  EXPECT_THAT(world.server.log, ElementsAre("watch 40"));
  world.server.tell(ended(504, client::kReasonWatchEnded));
  world.step();
  world.wait_and_step();
  EXPECT_THAT(world.server.log, ElementsAre("watch 40", "watch 40"));
}

TEST(ObjectFeed, AVersionThatTheServerHasForgottenNeedsAList) {
  FeedWorld world;
  world.server.pages = {page({"a", "b"}, 5)};
  world.step();
  world.server.tell(event(EventType::Added, "c", 6));
  world.server.tell(ended(410, "Expired"));
  world.server.pages = {page({"b", "c"}, 70)};
  world.step();
  world.step();
  EXPECT_THAT(world.told, ElementsAre("[+ a b .]", "ADDED c", "[+ b c .]"));
  EXPECT_THAT(world.server.log, ElementsAre("list", "watch 5", "list", "watch 70"));
}

TEST(ObjectFeed, WhatMakesNoSenseNeedsAList) {
  const std::vector<client::WatchEvent> nonsense{
      ended(504, client::kReasonUnreadable),
      {.type = EventType::Error, .object = nullptr},
      {.type = EventType::Modified, .object = nullptr},
      {.type = EventType::Modified, .object = std::make_shared<const text::Value>("text")},
      {.type = EventType::Added, .object = std::make_shared<const text::Value>(text::Object{})}};
  for (const client::WatchEvent& bad : nonsense) {
    FeedWorld world;
    world.server.pages = {page({"a"}, 5)};
    world.step();
    world.server.take_log();
    world.server.tell(bad);
    world.server.tell(event(EventType::Added, "late", 7));
    world.step();
    world.wait_and_step();
    EXPECT_THAT(world.told, ElementsAre("[+ a .]", "[+ a .]"));
    EXPECT_THAT(world.server.log, ElementsAre("list", "watch 5"));
  }
}

TEST(ObjectFeed, AWatchThatKeepsEndingAtOnceIsTriedLaterAndLaterAndThenListed) {
  FeedWorld world;
  world.server.pages = {page({"a"}, 5)};
  world.step();
  std::vector<Duration> pauses;
  for (int i = 0; i < kMaxVainWatches; ++i) {
    world.server.take_log();
    world.server.tell(ended(500, "InternalError"));
    world.step();
    pauses.push_back(*world.feed.next_due() - world.now);
    world.wait_and_step();
  }
  EXPECT_THAT(world.server.log, ElementsAre("list", "watch 5"));
  EXPECT_EQ(pauses[0], Duration{});
  for (size_t i = 1; i < pauses.size(); ++i) {
    EXPECT_GE(pauses[i].nanos, (kFirstRetry.nanos << i) / 2);
    EXPECT_LE(pauses[i].nanos, kFirstRetry.nanos << i);
  }
}

TEST(ObjectFeed, AWatchThatLivedIsNotInVain) {
  FeedWorld world;
  world.server.pages = {page({"a"}, 5)};
  world.step();
  world.server.take_log();
  for (int i = 0; i < 2 * kMaxVainWatches; ++i) {
    world.now = world.now + kSteadyWatch;
    world.server.tell(ended(504, client::kReasonWatchEnded));
    world.step();
    EXPECT_EQ(world.feed.next_due(), world.now);
    world.step();
  }
  EXPECT_THAT(world.server.log, testing::Each("watch 5"));
}

TEST(ObjectFeed, AServerThatIsAwayIsNoReasonForAList) {
  FeedWorld world;
  world.server.pages = {page({"a"}, 5)};
  world.step();
  world.server.take_log();
  for (int i = 0; i < 40; ++i) {
    world.server.tell(ended(503, client::kReasonNotReached));
    world.step();
    EXPECT_LE((*world.feed.next_due() - world.now).nanos, Duration::seconds(5).nanos);
    world.wait_and_step();
  }
  EXPECT_THAT(world.server.log, testing::Each("watch 5"));
}

TEST(ObjectFeed, WaitsAsLongAsTheServerAsksFor) {
  FeedWorld world;
  world.server.pages = {std::unexpected(api::too_many_requests("later", 4)), page({"a"}, 5)};
  world.step();
  EXPECT_EQ(world.feed.next_due(), world.now + Duration::seconds(4));
  world.wait_and_step();
  world.server.tell(ended(429, "TooManyRequests", 3));
  world.step();
  EXPECT_EQ(world.feed.next_due(), world.now + Duration::seconds(3));
}

TEST(ObjectFeed, AKindThatNobodyServesHasNoObjects) {
  FeedWorld world;
  world.server.pages = {std::unexpected(api::no_such_path())};
  for (int i = 0; i < 20; ++i) world.wait_and_step();
  EXPECT_THAT(world.told, testing::Each("[+ .]"));
  EXPECT_TRUE(world.feed.synced().contains(kThings));
  EXPECT_GE((*world.feed.next_due() - world.now).nanos, kLastRetry.nanos / 2);
  world.server.pages = {page({"a"}, 5)};
  world.take_told();
  world.wait_and_step();
  EXPECT_THAT(world.told, ElementsAre("[+ a .]"));
}

TEST(ObjectFeed, AKindThatWasServedIsNotGivenUpWhileAServerStarts) {
  FeedWorld world;
  world.server.pages = {page({"a"}, 5)};
  world.step();
  world.take_told();
  world.server.tell(ended(404, "NotFound"));
  world.server.pages = {std::unexpected(api::no_such_path())};
  world.step();
  const Instant missed = world.now;
  while (world.told.empty()) world.wait_and_step();
  EXPECT_THAT(world.told, ElementsAre("[+ .]"));
  EXPECT_GE((world.now - missed).nanos, kUnknownBeforeGone.nanos);
  EXPECT_LE((world.now - missed).nanos, (kUnknownBeforeGone.nanos + Duration::seconds(6).nanos));
}

TEST(ObjectFeed, AKindThatIsServedAgainWasNeverGone) {
  FeedWorld world;
  world.server.pages = {page({"a"}, 5)};
  world.step();
  world.take_told();
  world.server.tell(ended(410, "Expired"));
  world.server.pages = {std::unexpected(api::no_such_path()), std::unexpected(api::no_such_path()), page({"a"}, 9)};
  for (int i = 0; i < 4; ++i) world.wait_and_step();
  EXPECT_THAT(world.told, ElementsAre("[+ a .]"));
}

TEST(ObjectFeed, AListThatBreaksOffBeginsAnew) {
  FeedWorld world;
  world.server.pages = {page({"a"}, 5, "more"), std::unexpected(api::expired("too old")), page({"a", "b"}, 9)};
  world.step();
  EXPECT_FALSE(world.feed.synced().contains(kThings));
  world.wait_and_step();
  EXPECT_THAT(world.told, ElementsAre("[+ a]", "[+ a b .]"));
  EXPECT_THAT(world.server.log, ElementsAre("list", "list after more", "list", "watch 9"));
}

TEST(ObjectFeed, NothingWaitsForAServerThatIsSilent) {
  FeedWorld world;
  world.server.holding = true;
  world.step();
  world.step();
  EXPECT_THAT(world.server.log, ElementsAre("list"));
  EXPECT_EQ(world.feed.next_due(), std::nullopt);
  EXPECT_FALSE(world.bell.wait(Duration{}));
  world.server.held[0](page({"a"}, 5, "more"));
  EXPECT_TRUE(world.bell.wait(Duration{}));
  world.step();
  world.server.held[1](page({"b"}, 5));
  world.step();
  EXPECT_THAT(world.told, ElementsAre("[+ a]", "[ b .]"));
  EXPECT_THAT(world.server.log, ElementsAre("list", "list after more", "watch 5"));
}

TEST(ObjectFeed, AnswersThatComeTooLateAreNotTaken) {
  std::vector<std::function<void(client::Outcome)>> held;
  {
    FeedWorld world;
    world.server.holding = true;
    world.step();
    world.feed.follow(kThings, kThingsResource, kNever, "a=b");
    world.step();
    world.server.held[0](page({"old"}, 5));
    world.step();
    EXPECT_THAT(world.told, IsEmpty());
    world.feed.leave(kThings);
    world.server.held[1](page({"old"}, 5));
    world.step();
    EXPECT_THAT(world.told, IsEmpty());
    world.feed.follow(kThings, kThingsResource, kNever);
    world.step();
    held = std::move(world.server.held);
  }
  held[2](page({"old"}, 5));  // there is no feed any more, and no bell
}

TEST(ObjectFeed, AnInboxThatIsFullGoesOnFromTheLastEventThatHadRoom) {
  FeedWorld world;
  world.server.pages = {page({}, 5)};
  world.step();
  world.server.take_log();
  for (size_t i = 0; i < kMaxInbox + 2; ++i) {
    world.server.tell(event(EventType::Added, "x", 100 + static_cast<int>(i)));
  }
  world.server.tell(bookmark(1'000'000));  // of after the loss
  world.step();
  EXPECT_EQ(world.told.size(), 1 + kMaxInbox);
  world.step();
  EXPECT_THAT(world.server.log, ElementsAre("watch " + std::to_string(100 + kMaxInbox - 1)));
}

}  // namespace
}  // namespace basalt::loop
