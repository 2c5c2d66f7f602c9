// Lists that come as the initial events of a watch, and the pace of attempts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <set>
#include <thread>

#include "control/loop/informer_backoff.h"
#include "control/loop/informer_fixture.h"
#include "kube/client/https_object_client.h"

namespace basalt::loop {
namespace {

using client::WatchEventType;
using testing::ElementsAre;

struct StreamWorld : InformerFixture {
  StreamWorld() { server.streams = true; }
};

TEST(FeedStream, InitialEventsAreAListAndTheWatchGoesOn) {
  StreamWorld fixture;
  fixture.step();
  EXPECT_THAT(fixture.server.log, ElementsAre("stream"));
  EXPECT_EQ(fixture.server.last_watch.version_match, api::ResourceVersionMatch::NotOlderThan);
  EXPECT_TRUE(fixture.server.last_watch.bookmarks);
  fixture.server.deliver(event(WatchEventType::Added, "a", 1));
  fixture.server.deliver(event(WatchEventType::Added, "b", 4));
  EXPECT_TRUE(fixture.wake_up.wait(Duration{}));
  fixture.step();
  EXPECT_FALSE(fixture.informer.synced().contains(kThings));
  fixture.server.deliver(bookmark(3));  // of no meaning here
  fixture.server.deliver(event(WatchEventType::Added, "c", 2));
  fixture.server.deliver(bookmark(9, /*ends_initial=*/true));
  fixture.server.deliver(event(WatchEventType::Modified, "c", 10));
  fixture.step();
  EXPECT_TRUE(fixture.informer.synced().contains(kThings));
  EXPECT_THAT(fixture.seen, ElementsAre("[+ a b]", "[ c .]", "MODIFIED c"));
  fixture.server.deliver(ended(504, client::kReasonWatchEnded));
  fixture.step();
  fixture.step();
  EXPECT_THAT(fixture.server.log, ElementsAre("stream", "watch 10"));
}

TEST(FeedStream, AnEmptyKindIsListedToo) {
  StreamWorld fixture;
  fixture.step();
  fixture.server.deliver(bookmark(9, /*ends_initial=*/true));
  fixture.step();
  EXPECT_THAT(fixture.seen, ElementsAre("[+ .]"));
  fixture.server.deliver(ended(504, client::kReasonNoAnswer));
  fixture.step();
  fixture.step();
  EXPECT_THAT(fixture.server.log, ElementsAre("stream", "watch 9"));
}

TEST(FeedStream, WhatIsDeletedMeanwhileIsToldAfterTheList) {
  StreamWorld fixture;
  fixture.step();
  fixture.server.deliver(event(WatchEventType::Added, "a", 1));
  fixture.server.deliver(event(WatchEventType::Deleted, "a", 5));
  fixture.server.deliver(event(WatchEventType::Added, "a", 6));
  fixture.step();
  EXPECT_THAT(fixture.take_seen(), ElementsAre("[+ a]")) << "the rest waits for the end of the list";
  fixture.server.deliver(bookmark(9, /*ends_initial=*/true));
  fixture.step();
  EXPECT_THAT(fixture.seen, ElementsAre("[ .]", "DELETED a", "ADDED a"));
}

TEST(FeedStream, AServerThatDoesNotKnowStreamsIsAskedForPages) {
  for (const int code : {400, 422}) {
    StreamWorld fixture;
    fixture.server.on_watch = [&] {
      if (fixture.server.log.back() == "stream") fixture.server.deliver(ended(code, "Invalid"));
    };
    fixture.server.pages = {page({"a"}, 5)};
    fixture.step();
    EXPECT_THAT(fixture.server.log, ElementsAre("stream", "list", "watch 5")) << "in the same step";
    EXPECT_THAT(fixture.seen, ElementsAre("[+ a .]"));
    fixture.server.deliver(ended(410, "Expired"));
    fixture.step();
    fixture.wait_and_step();
    EXPECT_THAT(fixture.server.log, ElementsAre("stream", "list", "watch 5", "list", "watch 5"));
  }
}

TEST(FeedStream, AStreamThatKeepsBreakingIsReplacedByAListForOnce) {
  StreamWorld fixture;
  fixture.server.pages = {page({"a"}, 5)};
  for (int i = 0; i < kMaxFailedStreams; ++i) {
    fixture.wait_and_step();
    fixture.server.deliver(event(WatchEventType::Added, "a", 1));
    fixture.server.deliver(ended(504, client::kReasonNoAnswer));
    fixture.step();
  }
  fixture.wait_and_step();
  EXPECT_THAT(fixture.server.log, ElementsAre("stream", "stream", "list", "watch 5"));
  fixture.server.deliver(ended(410, "Gone"));
  fixture.step();
  fixture.wait_and_step();
  EXPECT_EQ(fixture.server.log.back(), "stream");
}

TEST(FeedStream, AKindThatNobodyServesHasNoObjects) {
  StreamWorld fixture;
  fixture.step();
  fixture.server.deliver(ended(404, "NotFound"));
  fixture.step();
  EXPECT_THAT(fixture.seen, ElementsAre("[+ .]"));
  EXPECT_TRUE(fixture.informer.synced().contains(kThings));
}

TEST(FeedStream, NeverMoreThanAPageWaits) {
  constexpr int kMany = 5 * static_cast<int>(kPageSize);
  StreamWorld fixture;
  fixture.step();
  std::thread sender([&] {
    for (int i = 0; i < kMany; ++i) fixture.server.deliver(event(WatchEventType::Added, "x", i + 1));
    fixture.server.deliver(bookmark(kMany, /*ends_initial=*/true));
  });
  size_t most = 0, all = 0;
  while (!fixture.informer.synced().contains(kThings)) {
    ASSERT_TRUE(fixture.wake_up.wait(Duration::seconds(30)));
    fixture.informer.open_due(fixture.now, [&](const Informer::Listed& listed) {
      most = std::max(most, listed.objects.size());
      all += listed.objects.size();
    });
  }
  sender.join();
  EXPECT_LE(most, static_cast<size_t>(kPageSize));
  EXPECT_EQ(all, static_cast<size_t>(kMany));
}

TEST(FeedStream, WhoeverWaitsForRoomIsLetGo) {
  auto fixture = std::make_unique<StreamWorld>();
  fixture->step();
  std::promise<void> nearly;
  std::thread sender([&, deliver = fixture->server.deliver] {
    for (int i = 0; i < static_cast<int>(kPageSize); ++i) deliver(event(WatchEventType::Added, "x", i + 1));
    nearly.set_value();
    deliver(event(WatchEventType::Added, "x", 1000));
  });
  nearly.get_future().wait();
  fixture.reset();
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
