#include "control/scheduler/event_queue.h"

#include <gtest/gtest.h>

namespace basalt::scheduler {
namespace {

constexpr Instant kStart = Instant::from_unix_seconds(1'767'225'600);

PendingEvent pending_event(size_t number) { return {.key = std::to_string(number), .at = kStart}; }

size_t told(EventQueue& pace, Instant now) {
  size_t count = 0;
  while (pace.next(now)) ++count;
  return count;
}

TEST(EventQueue, TellsAllAtOnceWhileNothingElseIsSent) {
  EventQueue pace;
  for (size_t i = 0; i < 1000; ++i) pace.add(pending_event(i));
  EXPECT_EQ(told(pace, kStart), 1000U);
  EXPECT_FALSE(pace.next_due().has_value());
}

TEST(EventQueue, TellsFewWhileDecisionsGoOutAndTheRestAfterwards) {
  EventQueue pace;
  for (size_t i = 0; i < 1000; ++i) pace.add(pending_event(i));
  pace.busy(kStart);
  EXPECT_EQ(told(pace, kStart), static_cast<size_t>(kEventCredit));
  ASSERT_TRUE(pace.next_due().has_value());
  EXPECT_GT(*pace.next_due(), kStart);
  const Instant later = kStart + Duration::millis(500);
  pace.busy(later);
  EXPECT_EQ(told(pace, later), static_cast<size_t>(kEventsWhileBusy) / 2);
  EXPECT_EQ(told(pace, later + kRestBefore), 1000U - static_cast<size_t>(kEventCredit + kEventsWhileBusy / 2));
}

TEST(EventQueue, NextDueIsWhenNextHasSomething) {
  EventQueue pace;
  for (size_t i = 0; i < 300; ++i) pace.add(pending_event(i));
  pace.busy(kStart);
  Instant now = kStart;
  size_t count = 0;
  while (const auto due = pace.next_due()) {
    now = std::max(now, *due);
    pace.busy(now);
    const size_t some = told(pace, now);
    ASSERT_GT(some, 0U);
    count += some;
  }
  EXPECT_EQ(count, 300U);
  EXPECT_GE(now, kStart + Duration::seconds((300 - kEventCredit) / kEventsWhileBusy - 1));
}

TEST(EventQueue, TheOldestAreGivenUp) {
  EventQueue pace;
  for (size_t i = 0; i < kMaxEventsWaiting + 2; ++i) pace.add(pending_event(i));
  EXPECT_EQ(pace.take_dropped(), 2U);
  EXPECT_EQ(pace.take_dropped(), 0U);
  EXPECT_EQ(pace.next(kStart)->key, "2");
}

}  // namespace
}  // namespace basalt::scheduler
