#include "kube/text/rfc3339.h"

#include <gtest/gtest.h>

#include <limits>

#include "kube/text/go_duration.h"

namespace basalt::text {
namespace {

TEST(Duration, ReadsAndPrintsAsGo) {
  struct Case {
    std::string_view text;
    int64_t nanos;
    std::string_view printed;
  };
  for (const auto& [text, nanos, printed] : {
           Case{"0", 0, "0s"},
           Case{"1h30m", 5'400'000'000'000, "1h30m0s"},
           Case{"300ms", 300'000'000, "300ms"},
           Case{"1.5s", 1'500'000'000, "1.5s"},
           Case{"-1.5s", -1'500'000'000, "-1.5s"},
           Case{"1m0.001s", 60'001'000'000, "1m0.001s"},
           Case{"+5us", 5'000, "5µs"},
           Case{"5µs", 5'000, "5µs"},
           Case{"5μs", 5'000, "5µs"},
           Case{"1.s", 1'000'000'000, "1s"},
           Case{".5h", 1'800'000'000'000, "30m0s"},
           Case{"0.3333333333333333333h", 1'200'000'000'000, "20m0s"},
           Case{"2562047h47m16.854775807s", std::numeric_limits<int64_t>::max(), "2562047h47m16.854775807s"},
           Case{"-9223372036854775808ns", std::numeric_limits<int64_t>::min(), "-2562047h47m16.854775808s"},
       }) {
    const Result<Duration> length = parse_duration(text);
    ASSERT_TRUE(length) << text;
    EXPECT_EQ(length->nanos, nanos) << text;
    EXPECT_EQ(format_duration(*length), printed) << text;
  }
}

TEST(Duration, RefusesEverythingElse) {
  for (const std::string_view text : {"", "-", "3", "1d", "s", ".s", "1h ", "1 h", "-0.", "9223372036854775808ns",
                                      "10000000000000000000h", "1e3s", "--1s"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Time, ReadsFractionsAndOffsets) {
  EXPECT_EQ(parse_time("2024-05-01T12:00:00Z").value(), Instant::from_unix_seconds(1714564800));
  EXPECT_EQ(parse_time("2024-05-01T14:00:00+02:00").value(), Instant::from_unix_seconds(1714564800));
  EXPECT_EQ(parse_time("2024-05-01T12:00:00.5Z").value().nanos, 1714564800'500000000);
  EXPECT_EQ(parse_time("1969-12-31T23:59:59.123456789123Z").value().nanos, -876543211);
  EXPECT_EQ(parse_time("0001-01-01T00:00:00Z").value(), kNever);
}

TEST(Time, PrintsWhatItReads) {
  for (const std::string_view text : {"2024-02-29T23:59:59Z", "2000-02-29T00:00:00Z", "1999-12-31T23:59:59Z",
                                      "1678-01-01T00:00:00Z", "2261-12-31T23:59:59Z", "1969-12-31T23:59:59Z"}) {
    EXPECT_EQ(format_time(parse_time(text).value()), text);
  }
  EXPECT_EQ(format_micro_time(parse_time("1969-12-31T23:59:59.25Z").value()), "1969-12-31T23:59:59.250000Z");
  EXPECT_EQ(format_time(kNever), "");
}

TEST(Time, RefusesEverythingElse) {
  for (const std::string_view text :
       {"", "2024-05-01", "2024-05-01 12:00:00Z", "2024-05-01T12:00:00", "2023-02-29T00:00:00Z", "2024-13-01T00:00:00Z",
        "2024-05-01T24:00:00Z", "2024-05-01T12:00:60Z", "2024-05-01T12:00:00.Z", "2024-05-01T12:00:00Zx",
        "2024-05-01T12:00:00+2:00", "1500-01-01T00:00:00Z", "9999-01-01T00:00:00Z", "0000-01-01T00:00:00Z"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

}  // namespace
}  // namespace basalt::text
