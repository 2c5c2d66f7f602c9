#include "base/instant.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace basalt {
namespace {

TEST(Instant, SecondsThatDoNotFitAreTheLongestThereIs) {
  EXPECT_EQ(Duration::seconds(30).nanos, 30'000'000'000);
  EXPECT_EQ(Duration::seconds(INT64_MAX).nanos, INT64_MAX);
  EXPECT_EQ(Duration::seconds(INT64_MIN).nanos, INT64_MIN);
  EXPECT_EQ(Duration::millis(INT64_MAX).nanos, INT64_MAX);
  EXPECT_EQ(Instant::from_unix_seconds(INT64_MAX).nanos, INT64_MAX);
}

TEST(Instant, SumsAndDifferencesStayInTheirOrder) {
  const Instant now = Instant::from_unix_seconds(1'700'000'000);
  EXPECT_EQ((now + Duration::seconds(5)).nanos, 1'700'000'005'000'000'000);
  EXPECT_EQ((now + Duration::seconds(INT64_MAX)).nanos, INT64_MAX);
  EXPECT_EQ((Instant{-now.nanos} + Duration::seconds(INT64_MIN)).nanos, INT64_MIN);
  EXPECT_EQ((now - Instant{INT64_MIN}).nanos, INT64_MAX);
  EXPECT_EQ((Instant{INT64_MIN} - now).nanos, INT64_MIN);
  EXPECT_EQ((now - Instant{now.nanos - 7}).nanos, 7);
}

}  // namespace
}  // namespace basalt
