// Lists that come as the initial events of a watch, and the pace of attempts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <set>
#include <thread>

#include "control/loop/feed_pace.h"
#include "control/loop/feed_test_world.h"
#include "kube/client/https_client.h"

namespace basalt::loop {
namespace {

using client::EventType;
using testing::ElementsAre;

struct StreamWorld : FeedWorld {
  StreamWorld() { server.streams = true; }
};

TEST(FeedStream, InitialEventsAreAListAndTheWatchGoesOn) {
  StreamWorld world;
  world.step();
  EXPECT_THAT(world.server.log, ElementsAre("stream"));
  EXPECT_EQ(world.server.last_watch.version_match, api::VersionMatch::NotOlderThan);
  EXPECT_TRUE(world.server.last_watch.bookmarks);
  world.server.tell(event(EventType::Added, "a", 1));
  world.server.tell(event(EventType::Added, "b", 4));
  EXPECT_TRUE(world.bell.wait(Duration{}));
  world.step();
  EXPECT_FALSE(world.feed.synced().contains(kThings));
  world.server.tell(bookmark(3));  // of no meaning here
  world.server.tell(event(EventType::Added, "c", 2));
  world.server.tell(bookmark(9, /*ends_initial=*/true));
  world.server.tell(event(EventType::Modified, "c", 10));
  world.step();
  EXPECT_TRUE(world.feed.synced().contains(kThings));
  EXPECT_THAT(world.told, ElementsAre("[+ a b]", "[ c .]", "MODIFIED c"));
  world.server.tell(ended(504, client::kReasonWatchEnded));
  world.step();
  world.step();
  EXPECT_THAT(world.server.log, ElementsAre("stream", "watch 10"));
}

TEST(FeedStream, AnEmptyKindIsListedToo) {
  StreamWorld world;
  world.step();
  world.server.tell(bookmark(9, /*ends_initial=*/true));
  world.step();
  EXPECT_THAT(world.told, ElementsAre("[+ .]"));
  world.server.tell(ended(504, client::kReasonNoAnswer));
  world.step();
  world.step();
  EXPECT_THAT(world.server.log, ElementsAre("stream", "watch 9"));
}

TEST(FeedStream, WhatIsDeletedMeanwhileIsToldAfterTheList) {
  StreamWorld world;
  world.step();
  world.server.tell(event(EventType::Added, "a", 1));
  world.server.tell(event(EventType::Deleted, "a", 5));
  world.server.tell(event(EventType::Added, "a", 6));
  world.step();
  EXPECT_THAT(world.take_told(), ElementsAre("[+ a]")) << "the rest waits for the end of the list";
  world.server.tell(bookmark(9, /*ends_initial=*/true));
  world.step();
  EXPECT_THAT(world.told, ElementsAre("[ .]", "DELETED a", "ADDED a"));
}

TEST(FeedStream, AServerThatDoesNotKnowStreamsIsAskedForPages) {
  for (const int code : {400, 422}) {
    StreamWorld world;
    world.server.on_watch = [&] {
      if (world.server.log.back() == "stream") world.server.tell(ended(code, "Invalid"));
    };
    world.server.pages = {page({"a"}, 5)};
    world.step();
    EXPECT_THAT(world.server.log, ElementsAre("stream", "list", "watch 5")) << "in the same step";
    EXPECT_THAT(world.told, ElementsAre("[+ a .]"));
    world.server.tell(ended(410, "Expired"));
    world.step();
    world.wait_and_step();
    EXPECT_THAT(world.server.log, ElementsAre("stream", "list", "watch 5", "list", "watch 5"));
  }
}

TEST(FeedStream, AStreamThatKeepsBreakingIsReplacedByAListForOnce) {
  StreamWorld world;
  world.server.pages = {page({"a"}, 5)};
  for (int i = 0; i < kMaxVainStreams; ++i) {
    world.wait_and_step();
    world.server.tell(event(EventType::Added, "a", 1));
    world.server.tell(ended(504, client::kReasonNoAnswer));
    world.step();
  }
  world.wait_and_step();
  EXPECT_THAT(world.server.log, ElementsAre("stream", "stream", "list", "watch 5"));
  world.server.tell(ended(410, "Gone"));
  world.step();
  world.wait_and_step();
  EXPECT_EQ(world.server.log.back(), "stream");
}

TEST(FeedStream, AKindThatNobodyServesHasNoObjects) {
  StreamWorld world;
  world.step();
  world.server.tell(ended(404, "NotFound"));
  world.step();
  EXPECT_THAT(world.told, ElementsAre("[+ .]"));
  EXPECT_TRUE(world.feed.synced().contains(kThings));
}

TEST(FeedStream, NeverMoreThanAPageWaits) {
  constexpr int kMany = 5 * static_cast<int>(kPageSize);
  StreamWorld world;
  world.step();
  std::thread sender([&] {
    for (int i = 0; i < kMany; ++i) world.server.tell(event(EventType::Added, "x", i + 1));
    world.server.tell(bookmark(kMany, /*ends_initial=*/true));
  });
  size_t most = 0, all = 0;
  while (!world.feed.synced().contains(kThings)) {
    ASSERT_TRUE(world.bell.wait(Duration::seconds(30)));
    world.feed.open_due(world.now, [&](const ObjectFeed::Listed& listed) {
      most = std::max(most, listed.objects.size());
      all += listed.objects.size();
    });
  }
  sender.join();
  EXPECT_LE(most, static_cast<size_t>(kPageSize));
  EXPECT_EQ(all, static_cast<size_t>(kMany));
}

TEST(FeedStream, WhoeverWaitsForRoomIsLetGo) {
  auto world = std::make_unique<StreamWorld>();
  world->step();
  std::promise<void> nearly;
  std::thread sender([&, tell = world->server.tell] {
    for (int i = 0; i < static_cast<int>(kPageSize); ++i) tell(event(EventType::Added, "x", i + 1));
    nearly.set_value();
    tell(event(EventType::Added, "x", 1000));
  });
  nearly.get_future().wait();
  world.reset();
  sender.join();
}

TEST(FeedPace, PausesGrowToTheLongestAndDifferByKind) {
  std::set<int64_t> different;
  for (uint32_t kind = 0; kind < 20; ++kind) {
    EXPECT_EQ(reopen_delay(1, KindId(kind), 0, kLongestReopen), Duration{});
    for (const int failures : {1, 3, 9, 20, 1'000'000}) {
      const int64_t whole =
          failures > 12 ? kLongestReopen.nanos : std::min(kFirstRetry.nanos << failures, kLongestReopen.nanos);
      const Duration delay = reopen_delay(1, KindId(kind), failures, kLongestReopen);
      EXPECT_GE(delay.nanos, whole / 2);
      EXPECT_LE(delay.nanos, whole);
      EXPECT_EQ(delay, reopen_delay(1, KindId(kind), failures, kLongestReopen)) << "no chance";
    }
    different.insert(reopen_delay(1, KindId(kind), 9, kLongestReopen).nanos);
  }
  EXPECT_GT(different.size(), 15U);
}

TEST(FeedPace, WatchesEndAtDifferentTimes) {
  std::set<int64_t> different;
  for (uint32_t kind = 0; kind < 20; ++kind) {
    const int64_t seconds = watch_seconds(0, KindId(kind), 1);
    EXPECT_GE(seconds, kShortestWatchSeconds);
    EXPECT_LE(seconds, kLongestWatchSeconds);
    different.insert(seconds);
  }
  EXPECT_GT(different.size(), 15U);
}

}  // namespace
}  // namespace basalt::loop
