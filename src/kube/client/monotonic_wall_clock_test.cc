#include "kube/client/monotonic_wall_clock.h"

#include <gtest/gtest.h>

namespace basalt::client {
namespace {

constexpr Instant kNoon = Instant::from_unix_seconds(1'700'000'000);
constexpr Instant kBoot = Instant::from_unix_seconds(100);

TEST(MonotonicWallClock, IsTheClockAsLongAsThatIsNotSet) {
  MonotonicWallClock time;
  for (int64_t s = 0; s < 100; ++s) {
    EXPECT_EQ(time.next(kNoon + Duration::seconds(s), kBoot + Duration::seconds(s)), kNoon + Duration::seconds(s));
  }
}

TEST(MonotonicWallClock, FollowsAClockThatIsSetForward) {
  MonotonicWallClock time;
  time.next(kNoon, kBoot);
  EXPECT_EQ(time.next(kNoon + Duration::seconds(3600), kBoot + Duration::seconds(1)), kNoon + Duration::seconds(3600));
}

TEST(MonotonicWallClock, GoesOnSlowerWhenTheClockIsSetBackUntilThatHasCaughtUp) {
  MonotonicWallClock time;
  time.next(kNoon, kBoot);
  // Set back by a minute: ten seconds later nine have passed.
  EXPECT_EQ(time.next(kNoon + Duration::seconds(-50), kBoot + Duration::seconds(10)), kNoon + Duration::seconds(9));
  Instant last = kNoon;
  for (int64_t s = 11; s < 700; ++s) {
    const Instant now = time.next(kNoon + Duration::seconds(s - 60), kBoot + Duration::seconds(s));
    EXPECT_GT(now, last) << s;
    last = now;
  }
  EXPECT_EQ(last, kNoon + Duration::seconds(639)) << "the clock has caught up after ten minutes";
}

TEST(MonotonicWallClock, StandsStillAtMostWithAnIntervalThatDoes) {
  MonotonicWallClock time;
  time.next(kNoon, kBoot);
  EXPECT_EQ(time.next(kNoon + Duration::seconds(-5), kBoot), kNoon);
}

}  // namespace
}  // namespace basalt::client
