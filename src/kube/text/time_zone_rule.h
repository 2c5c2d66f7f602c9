// The yearly rule of a time zone, in the form of the TZ variable: "CET-1CEST,M3.5.0,M10.5.0/3".
//
// Time zone data ends with such a rule; it holds after the last change that the data lists. Offsets lie within
// kMaxZoneOffsetSeconds of UTC, and hours count positive to the west in the text, to the east in the numbers here.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "base/result.h"

namespace basalt::text {

inline constexpr int32_t kMaxZoneOffsetSeconds = 26 * 3600;

// A span of Unix seconds, [from, until), during which clocks stand `east_seconds` ahead of UTC.
struct ZoneSpan {
  int32_t east_seconds = 0;
  int64_t from = std::numeric_limits<int64_t>::min();
  int64_t until = std::numeric_limits<int64_t>::max();
};

// The day and second at which a rule changes clocks, every year; the time of day may lie outside 0-24 h.
struct ZoneRuleDay {
  enum class Form : uint8_t { Julian, DayOfYear, Weekday };  // "J60" (without leap day), "59", "M3.2.0"
  Form form = Form::Julian;
  int32_t day = 1;  // of the year; for Weekday 0 (Sunday) to 6
  int32_t month = 1, week = 1;
  int32_t second = 7200;  // of that day, on the clock before the change
};

// What a TZ string says: "CET-1CEST,M3.5.0,M10.5.0/3".
struct ZoneRule {
  int32_t standard_east = 0;
  bool has_summer = false;
  int32_t summer_east = 0;
  ZoneRuleDay summer_starts, summer_ends;
};

// Cost: O(text).
[[nodiscard]] Result<ZoneRule> parse_zone_rule(std::string_view text);

// The span that holds `unix_seconds` when clocks follow `rule` all the time. Beyond the year 9000 and before the year
// 1000 it is always winter. Cost: O(1).
[[nodiscard]] ZoneSpan span_under(const ZoneRule& rule, int64_t unix_seconds);

}  // namespace basalt::text
