#include "kube/api/cron_schedule.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "kube/text/rfc3339.h"

namespace basalt::api {
namespace {

Instant at(std::string_view time) { return text::parse_time(time).value(); }

// The next moment, in UTC; "never" when there is none.
std::string next(std::string_view schedule, std::string_view after, const text::TimeZone& zone = {}) {
  const auto parsed = CronSchedule::parse(schedule);
  if (!parsed) return parsed.error().message;
  const auto moment = parsed->next(at(after), zone);
  return moment ? text::format_time(*moment) : "never";
}

TEST(CronSchedule, FindsTheNextMoment) {
  struct Case {
    std::string_view schedule, after, expected;
  };
  for (const auto& [schedule, after, expected] : {
           Case{"* * * * *", "2024-05-01T12:00:00Z", "2024-05-01T12:01:00Z"},
           Case{"* * * * *", "2024-05-01T12:00:59.999Z", "2024-05-01T12:01:00Z"},
           Case{"*/15 * * * *", "2024-05-01T12:46:00Z", "2024-05-01T13:00:00Z"},
           Case{"20-35/15 * * * *", "2024-05-01T12:20:00Z", "2024-05-01T12:35:00Z"},
           Case{"0 8-18/4 * * *", "2024-05-01T16:00:00Z", "2024-05-02T08:00:00Z"},
           Case{"0 0 29 feb *", "2024-03-01T00:00:00Z", "2028-02-29T00:00:00Z"},
           Case{"0 0 30 2 *", "2024-03-01T00:00:00Z", "never"},
           Case{"0 0 13 * fri", "2024-05-01T00:00:00Z", "2024-05-03T00:00:00Z"},  // either
           Case{"0 0 */2 * FRI", "2024-05-01T00:00:00Z", "2024-05-03T00:00:00Z"},
           Case{"0 0 * * Sun", "2024-05-01T00:00:00Z", "2024-05-05T00:00:00Z"},
           Case{"0 0 ? jan,jul ?", "2024-05-01T00:00:00Z", "2024-07-01T00:00:00Z"},
           Case{"55/3 23 31 12 *", "2024-12-31T23:58:00Z", "2025-12-31T23:55:00Z"},
           Case{"\t0  0\n1 1 * ", "2024-05-01T00:00:00Z", "2025-01-01T00:00:00Z"},
           Case{"@yearly", "2024-05-01T00:00:00Z", "2025-01-01T00:00:00Z"},
           Case{"@monthly", "2024-05-01T00:00:00Z", "2024-06-01T00:00:00Z"},
           Case{"@weekly", "2024-05-01T00:00:00Z", "2024-05-05T00:00:00Z"},
           Case{"@midnight", "2024-05-01T00:00:00Z", "2024-05-02T00:00:00Z"},
           Case{"@hourly", "2024-05-01T00:00:00Z", "2024-05-01T01:00:00Z"},
           Case{"@every 1h30m", "2024-05-01T12:00:00.7Z", "2024-05-01T13:30:00Z"},
           Case{"@every 1500ms", "2024-05-01T12:00:00Z", "2024-05-01T12:00:01Z"},
           Case{"@every -5m", "2024-05-01T12:00:00Z", "2024-05-01T12:00:01Z"},
           Case{"* * * * *", "1969-12-31T23:58:30.5Z", "1969-12-31T23:59:00Z"},
           Case{"@every 200000h", "2261-12-31T00:00:00Z", "never"},
           Case{", 0 * * *", "2024-05-01T00:00:00Z", "never"},
       }) {
    EXPECT_EQ(next(schedule, after), expected) << schedule;
  }
}

TEST(CronSchedule, FollowsTheClocksOfAZone) {
  // Clocks go forward in the night to 2024-03-31 (02:00 to 03:00) and back on 2024-10-27 (03:00 to 02:00).
  const auto berlin = text::load_time_zone("Europe/Berlin");
  if (!berlin) GTEST_SKIP() << "no time zone data on this machine";
  EXPECT_EQ(next("30 2 * * *", "2024-03-30T12:00:00Z", *berlin), "2024-04-01T00:30:00Z");  // skipped
  EXPECT_EQ(next("0 3 * * *", "2024-03-30T12:00:00Z", *berlin), "2024-03-31T01:00:00Z");
  EXPECT_EQ(next("30 2 * * *", "2024-10-26T12:00:00Z", *berlin), "2024-10-27T00:30:00Z");
  EXPECT_EQ(next("30 2 * * *", "2024-10-27T00:30:00Z", *berlin), "2024-10-27T01:30:00Z");  // a second time
  EXPECT_EQ(next("30 2 * * *", "2024-10-27T01:30:00Z", *berlin), "2024-10-28T01:30:00Z");
  EXPECT_EQ(next("0 0 1 * *", "2050-07-15T00:00:00Z", *berlin), "2050-07-31T22:00:00Z");  // by the rule
}

TEST(CronSchedule, MidnightThatClocksSkipDelaysOnlyThatDay) {
  const auto cairo = text::load_time_zone("Africa/Cairo");
  if (!cairo) GTEST_SKIP() << "no time zone data on this machine";
  // 2028-04-28 starts at 01:00. Friday is not asked for, and must not be run.
  EXPECT_EQ(next("35 8 * * 4,6", "2028-04-27T21:39:00Z", *cairo), "2028-04-29T05:35:00Z");
  EXPECT_EQ(next("0 0 * * *", "2028-04-27T21:39:00Z", *cairo), "2028-04-28T21:00:00Z");
}

TEST(CronSchedule, StopsAtTheEndOfTime) {
  const auto schedule = CronSchedule::parse("0 0 1 1 *").value();
  EXPECT_FALSE(schedule.next(Instant{std::numeric_limits<int64_t>::max()}, {}));
  EXPECT_TRUE(schedule.next(Instant{std::numeric_limits<int64_t>::min()}, {}));
}

TEST(CronSchedule, RefusesWhatCronRefuses) {
  for (const std::string_view text : {"",
                                      " ",
                                      "* * * *",
                                      "* * * * * *",
                                      "60 * * * *",
                                      "* 24 * * *",
                                      "* * 0 * *",
                                      "* * 32 * *",
                                      "* * * 13 *",
                                      "* * * * 7",
                                      "5-3 * * * *",
                                      "*/0 * * * *",
                                      "1/2/3 * * * *",
                                      "1-2-3 * * * *",
                                      "-1 * * * *",
                                      "a * * * *",
                                      "* * * jano *",
                                      "@never",
                                      "@every",
                                      "@every x",
                                      "@daily ",
                                      "TZ=UTC 0 0 * * *",
                                      "CRON_TZ=UTC",
                                      "*/-1 * * * *",
                                      "1- * * * *",
                                      "99999999999999999999 * * * *"}) {
    EXPECT_FALSE(CronSchedule::parse(text)) << text;
  }
}

TEST(CronSchedule, SaysWhatIsWrong) {
  struct Case {
    std::string_view text, message;
  };
  for (const auto& [text, message] : {
           Case{"61 * * * *", "end of range (61) above maximum (59): 61"},
           Case{"* * 0/2 * *", "beginning of range (0) below minimum (1): 0/2"},
           Case{"5-3 * * * *", "beginning of range (5) beyond end of range (3): 5-3"},
           Case{"* * * * mo", R"(failed to parse int from mo: strconv.Atoi: parsing "mo": invalid syntax)"},
           Case{"-1 * * * *", R"(failed to parse int from : strconv.Atoi: parsing "": invalid syntax)"},
           Case{"*/-1 * * * *", "negative number (-1) not allowed: -1"},
           Case{"*/0 * * * *", "step of range should be a positive number: */0"},
           Case{"0 0", "expected exactly 5 fields, found 2: [0 0]"},
           Case{"@never", "unrecognized descriptor: @never"},
       }) {
    EXPECT_EQ(CronSchedule::parse(text).error().message, message) << text;
  }
}

}  // namespace
}  // namespace basalt::api
