#include "control/volcano/cron_job/due_time.h"

#include <gtest/gtest.h>

#include "control/volcano/controllers_fixture.h"

namespace basalt::volcano {
namespace {

Instant before(int64_t seconds) { return kNow + Duration::seconds(-seconds); }
DueTime due(std::string_view schedule, Instant earliest) {
  return due_time(api::CronSchedule::parse(schedule).value(), {}, earliest, kNow);
}

TEST(DueTime, IsTheLatestThatPassed) {
  const DueTime hourly = due("0 * * * *", before(3 * 3600));
  EXPECT_EQ(hourly.latest, before(800));
  EXPECT_EQ(hourly.next, before(800 - 3600));
  EXPECT_FALSE(hourly.many_missed);
  EXPECT_EQ(due("0 * * * *", before(800)).latest, std::nullopt) << "served already";
}

TEST(DueTime, IsFoundHoweverLongAgo) {
  constexpr int64_t kYear = 365 * 86'400;
  for (const auto& [schedule, ago] : {std::pair("* * * * *", 20), std::pair("0 * * * *", 800)}) {
    const DueTime found = due(schedule, before(4 * kYear));
    EXPECT_TRUE(found.many_missed) << schedule;
    EXPECT_EQ(found.latest, before(ago)) << schedule;
  }
  // 03:59 of the same day is 18:14:20 before.
  EXPECT_EQ(due("0-59 3 * * *", before(4 * kYear)).latest, before(18 * 3600 + 14 * 60 + 20));
}

TEST(DueTime, AFixedDelayCountsFromTheEarliest) {
  const DueTime found = due("@every 1h", before(9000));
  EXPECT_EQ(found.latest, before(1800));
  EXPECT_EQ(found.next, before(-1800));
  EXPECT_EQ(due("@every 1h", before(10)).latest, std::nullopt);
  EXPECT_TRUE(due("@every 1s", before(1000)).many_missed);
}

TEST(DueTime, MayNeverCome) {
  const DueTime never = due("0 0 30 2 *", before(60));
  EXPECT_EQ(never.latest, std::nullopt);
  EXPECT_EQ(never.next, std::nullopt);
}

}  // namespace
}  // namespace basalt::volcano
