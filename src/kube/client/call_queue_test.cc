#include "kube/client/call_queue.h"

#include <gtest/gtest.h>

namespace basalt::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Time = CallQueue::Time;

constexpr Time kStart = Time(seconds(1000));

CallQueue::QueuedCall waiting(std::string name) { return {.call = {.name = std::move(name)}, .done = {}}; }

ReplyOrError refused(int code, int retry_after) {
  return std::unexpected(api::ApiError{.code = code, .message = "no", .retry_after_seconds = retry_after});
}

TEST(TokenBucket, BurstThenTheRate) {
  TokenBucket bucket(10, 3);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(bucket.take(kStart));
  EXPECT_FALSE(bucket.take(kStart));
  EXPECT_EQ(bucket.next(), kStart + milliseconds(100));
  EXPECT_FALSE(bucket.take(kStart + milliseconds(99)));
  EXPECT_TRUE(bucket.take(kStart + milliseconds(100)));
  EXPECT_FALSE(bucket.take(kStart + milliseconds(150)));
  EXPECT_TRUE(bucket.take(bucket.next())) << "next() is never too early";
  Time later = kStart + seconds(1000);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(bucket.take(later)) << "no more than a burst is saved up";
  EXPECT_FALSE(bucket.take(later));
}

TEST(TokenBucket, WhatNextSaysIsAlwaysEnough) {
  for (const double rate : {0.3, 3.0, 7.7, 2000.0, 123456.0}) {
    TokenBucket bucket(rate, 1);
    Time now = kStart;
    ASSERT_TRUE(bucket.take(now));
    for (int i = 0; i < 100; ++i) {
      ASSERT_FALSE(bucket.take(now));
      ASSERT_GT(bucket.next(), now);
      now = bucket.next();
      ASSERT_TRUE(bucket.take(now)) << rate << " " << i;
    }
    const double taken = std::chrono::duration<double>(now - kStart).count();
    EXPECT_NEAR(taken, 100 / rate, 0.01 * 100 / rate + 1e-6);
  }
}

TEST(TokenBucket, WithoutALimit) {
  TokenBucket bucket(0, 0);
  for (int i = 0; i < 100'000; ++i) ASSERT_TRUE(bucket.take(kStart));
  TokenBucket odd(5, -1);
  EXPECT_TRUE(odd.take(kStart)) << "a burst below one would let nothing out";
}

TEST(CallQueue, InOrderAndNotFasterThanTheRate) {
  CallQueue queue(TokenBucket(10, 1));
  queue.add(waiting("a"));
  queue.add(waiting("b"));
  EXPECT_EQ(queue.take(kStart).call->call.name, "a");
  const CallQueue::Next none = queue.take(kStart);
  EXPECT_FALSE(none.call);
  EXPECT_EQ(none.look_again, kStart + milliseconds(100));
  EXPECT_EQ(queue.take(kStart + milliseconds(100)).call->call.name, "b");
  EXPECT_FALSE(queue.take(kStart + seconds(9)).look_again);
}

TEST(CallQueue, WhatWasTurnedAwayComesBackWhenItIsDue) {
  CallQueue queue(TokenBucket(0, 0));
  queue.add_later(waiting("late"), kStart + seconds(2));
  queue.add_later(waiting("soon"), kStart + seconds(1));
  EXPECT_EQ(queue.take(kStart).look_again, kStart + seconds(1));
  queue.add(waiting("new"));
  EXPECT_EQ(queue.take(kStart + seconds(1)).call->call.name, "soon");
  EXPECT_EQ(queue.take(kStart + seconds(1)).call->call.name, "new");
  queue.add(waiting("rest"));
  EXPECT_EQ(queue.size(), 2U);
  const auto left = queue.take_all();
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0].call.name, "late");
  EXPECT_EQ(queue.size(), 0U);
}

TEST(CallQueue, OnlyWhatWasNotCarriedOutIsSentAgain) {
  CallQueue::QueuedCall call = waiting("a");
  EXPECT_EQ(due_again(call, refused(429, 1), kStart), kStart + seconds(1));
  EXPECT_EQ(due_again(call, refused(503, 2), kStart), kStart + seconds(2));
  EXPECT_FALSE(due_again(call, Reply{}, kStart));
  EXPECT_FALSE(due_again(call, refused(429, 0), kStart));
  EXPECT_FALSE(due_again(call, refused(503, 0), kStart)) << "we have not reached it";
  EXPECT_FALSE(due_again(call, refused(500, 1), kStart));
  EXPECT_FALSE(due_again(call, refused(504, 1), kStart)) << "it may have been carried out";
  EXPECT_FALSE(due_again(call, refused(429, 3600), kStart));
  call.call.subresource = "eviction";
  EXPECT_FALSE(due_again(call, refused(429, 1), kStart));
}

TEST(CallQueue, PatienceEnds) {
  CallQueue::QueuedCall call = waiting("a");
  call.throttled_count = kMaxThrottledRetries;
  call.first_throttled_at = kStart;
  EXPECT_FALSE(due_again(call, refused(429, 1), kStart));
  call.throttled_count = 1;
  EXPECT_TRUE(due_again(call, refused(429, 1), kStart + kMaxThrottledWait - seconds(1)));
  EXPECT_FALSE(due_again(call, refused(429, 1), kStart + kMaxThrottledWait));
}

}  // namespace
}  // namespace basalt::client
