#include "base/duration.h"

#include <gtest/gtest.h>

namespace basalt {
namespace {

TEST(Duration, reads_sums_of_units_and_fractions) {
  EXPECT_EQ(parse_duration("1h2m3s4ms5us6ns")->nanos, 3'723'004'005'006);
  EXPECT_EQ(parse_duration("1.5h")->nanos, 5'400'000'000'000);
  EXPECT_EQ(parse_duration("-.5s")->nanos, -500'000'000);
  EXPECT_EQ(parse_duration("0.3\xC2\xB5s")->nanos, 300);
  EXPECT_EQ(parse_duration("1.0000000009s")->nanos, 1'000'000'000);  // below a nanosecond
  EXPECT_EQ(parse_duration("0")->nanos, 0);
}

TEST(Duration, refuses_what_has_no_unit_or_does_not_fit) {
  for (const char* text : {"", "-", "1", "1d", "h", ".s", "1h30", "2562048h", "9223372036854775808ns"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
  EXPECT_EQ(parse_duration("9223372036854775807ns")->nanos, INT64_MAX);
}

}  // namespace
}  // namespace basalt
