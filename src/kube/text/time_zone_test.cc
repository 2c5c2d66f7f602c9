#include "kube/text/time_zone.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kube/text/rfc3339.h"

namespace basalt::text {
namespace {

int64_t seconds(std::string_view time) { return parse_time(time).value().nanos / 1'000'000'000; }

std::string big_endian(int64_t value, int bytes) {
  std::string text;
  for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 0xff);
  return text;
}

struct Change {
  int64_t at;
  int type;
};

// TZif data: an empty part of version 1, then the changes in 64 bits, then the rule.
std::string zone_data(const std::vector<Change>& changes, const std::vector<int32_t>& offsets, std::string_view rule) {
  const auto header = [](size_t times, size_t types) {
    std::string text = "TZif2" + std::string(15, '\0') + std::string(12, '\0');
    return text + big_endian(static_cast<int64_t>(times), 4) + big_endian(static_cast<int64_t>(types), 4) +
           std::string(4, '\0');
  };
  std::string data = header(0, 1) + std::string(6, '\0') + header(changes.size(), offsets.size());
  for (const Change& change : changes) data += big_endian(change.at, 8);
  for (const Change& change : changes) data += static_cast<char>(change.type);
  for (const int32_t offset : offsets) data += big_endian(offset, 4) + std::string(2, '\0');
  return data + "\n" + std::string(rule) + "\n";
}

TEST(TimeZone, ListsChangesThenFollowsTheRule) {
  const std::string data = zone_data({{.at = 1000, .type = 1}, {.at = 2000, .type = 0}}, {600, 4200}, "AAA-1");
  const TimeZone zone = TimeZone::parse(data).value();
  EXPECT_EQ(zone.at(999).east_seconds, 600);
  EXPECT_EQ(zone.at(999).until, 1000);
  EXPECT_EQ(zone.at(1000).east_seconds, 4200);
  EXPECT_EQ(zone.at(1999).from, 1000);
  EXPECT_EQ(zone.at(1999).until, 2000);
  EXPECT_EQ(zone.at(2000).east_seconds, 3600);  // the rule
  EXPECT_EQ(zone.at(2000).from, 2000);
}

TEST(TimeZone, RuleChangesClocksTwiceAYear) {
  const ZoneRule berlin = parse_zone_rule("CET-1CEST,M3.5.0,M10.5.0/3").value();
  const ZoneSpan summer = span_under(berlin, seconds("2051-07-01T00:00:00Z"));
  EXPECT_EQ(summer.east_seconds, 7200);
  EXPECT_EQ(summer.from, seconds("2051-03-26T01:00:00Z"));
  EXPECT_EQ(summer.until, seconds("2051-10-29T01:00:00Z"));
  const ZoneSpan winter = span_under(berlin, summer.until);
  EXPECT_EQ(winter.east_seconds, 3600);
  EXPECT_EQ(winter.from, summer.until);
  EXPECT_EQ(winter.until, seconds("2052-03-31T01:00:00Z"));
}

TEST(TimeZone, RuleKnowsTheSouthAndOddForms) {
  const ZoneRule sydney = parse_zone_rule("AEST-10AEDT,M10.1.0,M4.1.0/3").value();
  EXPECT_EQ(span_under(sydney, seconds("2050-01-01T00:00:00Z")).east_seconds, 39'600);
  EXPECT_EQ(span_under(sydney, seconds("2050-07-01T00:00:00Z")).east_seconds, 36'000);
  const ZoneRule nuuk = parse_zone_rule("<-02>2<-01>,M3.5.0/-1,M10.5.0/0").value();
  EXPECT_EQ(span_under(nuuk, seconds("2050-07-01T00:00:00Z")).from, seconds("2050-03-27T01:00:00Z"));
  const ZoneRule always_summer = parse_zone_rule("XXX3EDT4,0/0,J365/23").value();
  for (int month = 1; month <= 12; ++month) {
    const int64_t at = seconds("2050-01-01T00:00:00Z") + (int64_t{month} - 1) * 30 * 86'400;
    EXPECT_EQ(span_under(always_summer, at).east_seconds, -4 * 3600) << month;
  }
}

TEST(TimeZone, SpansTileTime) {
  const ZoneRule rule = parse_zone_rule("CET-1CEST,J60/-5,M10.5.0/167").value();
  int64_t at = seconds("2000-01-01T00:00:00Z");
  for (int i = 0; i < 100; ++i) {
    const ZoneSpan span = span_under(rule, at);
    ASSERT_LE(span.from, at);
    ASSERT_GT(span.until, at);
    EXPECT_EQ(span_under(rule, span.until).from, span.until);
    at = span.until;
  }
  for (const int64_t edge : {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max() - 1}) {
    const ZoneSpan span = span_under(rule, edge);
    EXPECT_LE(span.from, edge);
    EXPECT_GT(span.until, edge);
  }
}

TEST(TimeZone, RefusesBrokenData) {
  const std::string good = zone_data({{.at = 1000, .type = 0}, {.at = 2000, .type = 1}}, {600, 4200}, "");
  ASSERT_TRUE(TimeZone::parse(good));
  for (size_t length = 0; length + 2 < good.size(); ++length) {
    EXPECT_FALSE(TimeZone::parse(std::string_view(good).substr(0, length))) << length;
  }
  EXPECT_FALSE(TimeZone::parse(zone_data({{.at = 1000, .type = 2}}, {600, 4200}, "")));
  EXPECT_FALSE(TimeZone::parse(zone_data({{.at = 1000, .type = 0}, {.at = 1000, .type = 1}}, {0, 60}, "")));
  EXPECT_FALSE(TimeZone::parse(zone_data({}, {90'000 * 2}, "")));
  EXPECT_FALSE(TimeZone::parse(zone_data({}, {0}, "no rule")));
  EXPECT_FALSE(TimeZone::parse("TZif2" + std::string(15, '\0') + std::string(24, '\xff')));
  for (const std::string_view rule : {"", "CE-1", "CET", "CET-1CEST", "CET-1CEST,M13.1.0,M1.1.0", "CET-1CEST,M3.5.0",
                                      "CET-99", "CET-1:60", "<+01-1", "CET-1CEST,J0,J1", "CET-1CEST,0/168,1"}) {
    EXPECT_FALSE(parse_zone_rule(rule)) << rule;
  }
}

TEST(TimeZone, NamesNeverLeaveTheDirectory) {
  for (const std::string_view name : {"Europe/Berlin", "Etc/GMT+5", "America/Argentina/Buenos_Aires", "UTC", "..a"}) {
    EXPECT_TRUE(is_zone_name(name)) << name;
  }
  for (const std::string_view name :
       {"", "/etc/passwd", "../x", "a/../b", "a/./b", "a//b", "a/", "-a", "a b", "a\\b"}) {
    EXPECT_FALSE(is_zone_name(name)) << name;
    EXPECT_FALSE(load_time_zone(name)) << name;
  }
  EXPECT_FALSE(is_zone_name(std::string(kMaxZoneName + 1, 'a')));
}

TEST(TimeZone, LoadsFromADirectory) {
  const std::filesystem::path directory = testing::TempDir() + "time_zone_test";
  std::filesystem::create_directories(directory / "Here");
  std::ofstream(directory / "Here" / "There") << zone_data({}, {3600}, "");
  std::ofstream(directory / "text") << "not a zone";
  EXPECT_EQ(load_time_zone("Here/There", directory).value().at(0).east_seconds, 3600);
  EXPECT_EQ(load_time_zone("UTC", directory).value().at(0).east_seconds, 0);
  EXPECT_FALSE(load_time_zone("text", directory));
  EXPECT_FALSE(load_time_zone("Here", directory));  // a directory
  const Result<TimeZone> missing = load_time_zone("Mars/Olympus", directory);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            R"(time zone "Mars/Olympus" is not known here: write an IANA name like "Europe/Berlin" or "UTC")");
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace basalt::text
