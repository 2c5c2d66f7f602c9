#include "kube/text/time_zone_rule.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "kube/text/document_path.h"
#include "kube/text/rfc3339.h"

namespace basalt::text {
namespace {

constexpr int32_t kMaxOffsetHours = 24;
constexpr int32_t kMaxChangeHours = 167;          // a week less an hour, as RFC 8536 allows
constexpr int64_t kFirstMoment = -30610224000;    // 1000-01-01
constexpr int64_t kLastMoment = 221'845'392'000;  // 9000-01-01

// Eats a rule from the front; every take answers nothing when the text is not as expected.
struct RuleScanner {
  std::string_view rest;

  bool one(char c) {
    if (!rest.starts_with(c)) return false;
    rest.remove_prefix(1);
    return true;
  }
  std::optional<int32_t> number(int32_t low, int32_t high) {
    int32_t value = 0;
    size_t digits = 0;
    for (; digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9'; ++digits) {
      if (digits == 4) return std::nullopt;  // nothing in a rule is longer
      value = value * 10 + (rest[digits] - '0');
    }
    if (digits == 0 || value < low || value > high) return std::nullopt;
    rest.remove_prefix(digits);
    return value;
  }
  // "CEST" or "<+0530>": at least three characters, whose text does not matter here.
  bool name() {
    const bool quoted = one('<');
    size_t length = 0;
    const auto fits = [quoted](char c) {
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      return letter || (quoted && ((c >= '0' && c <= '9') || c == '+' || c == '-'));
    };
    while (length < rest.size() && fits(rest[length])) ++length;
    rest.remove_prefix(length);
    return length >= 3 && (!quoted || one('>'));
  }
  // "[+-]h[h][:mm[:ss]]" in seconds.
  std::optional<int32_t> clock(int32_t max_hours) {
    const bool negative = one('-');
    if (!negative) one('+');
    const auto hours = number(0, max_hours);
    if (!hours) return std::nullopt;
    int32_t seconds = *hours * 3600;
    for (const int32_t unit : {60, 1}) {
      if (!one(':')) break;
      const auto part = number(0, 59);
      if (!part) return std::nullopt;
      seconds += *part * unit;
    }
    return negative ? -seconds : seconds;
  }
  std::optional<ZoneRuleDay> date() {
    ZoneRuleDay day;
    std::optional<int32_t> number_of_day;
    if (one('M')) {
      day.form = ZoneRuleDay::Form::Weekday;
      const auto month = number(1, 12);
      if (!month || !one('.')) return std::nullopt;
      const auto week = number(1, 5);
      if (!week || !one('.')) return std::nullopt;
      day.month = *month;
      day.week = *week;
      number_of_day = number(0, 6);
    } else if (one('J')) {
      number_of_day = number(1, 365);
    } else {
      day.form = ZoneRuleDay::Form::DayOfYear;
      number_of_day = number(0, 365);
    }
    if (!number_of_day) return std::nullopt;
    day.day = *number_of_day;
    if (one('/')) {
      const auto second = clock(kMaxChangeHours);
      if (!second) return std::nullopt;
      day.second = *second;
    }
    return day;
  }
};

std::optional<ZoneRule> scan_rule(std::string_view text) {
  RuleScanner scan{text};
  ZoneRule rule;
  if (!scan.name()) return std::nullopt;
  const auto west = scan.clock(kMaxOffsetHours);
  if (!west) return std::nullopt;
  rule.standard_east = -*west;
  if (scan.rest.empty()) return rule;
  rule.has_summer = true;
  rule.summer_east = rule.standard_east + 3600;
  if (!scan.name()) return std::nullopt;
  if (!scan.rest.starts_with(',')) {
    const auto summer_west = scan.clock(kMaxOffsetHours);
    if (!summer_west) return std::nullopt;
    rule.summer_east = -*summer_west;
  }
  if (!scan.one(',')) return std::nullopt;
  const auto starts = scan.date();
  if (!starts || !scan.one(',')) return std::nullopt;
  const auto ends = scan.date();
  if (!ends || !scan.rest.empty()) return std::nullopt;
  rule.summer_starts = *starts;
  rule.summer_ends = *ends;
  return rule;
}

int64_t day_of(const ZoneRuleDay& when, std::chrono::year year) {
  using namespace std::chrono;
  if (when.form == ZoneRuleDay::Form::Weekday) {
    const month which{static_cast<unsigned>(when.month)};
    const weekday day{static_cast<unsigned>(when.day)};
    const sys_days date = when.week == 5 ? sys_days{year / which / day[last]}
                                         : sys_days{year / which / day[static_cast<unsigned>(when.week)]};
    return date.time_since_epoch().count();
  }
  const int64_t new_year = sys_days{year / January / 1}.time_since_epoch().count();
  if (when.form == ZoneRuleDay::Form::DayOfYear) return new_year + when.day;
  return new_year + when.day - 1 + (year.is_leap() && when.day >= 60 ? 1 : 0);
}

}  // namespace

Result<ZoneRule> parse_zone_rule(std::string_view text) {
  if (const auto rule = scan_rule(text)) return *rule;
  return invalid("time zone rule " + in_quotes(text) + R"( is not of the form "CET-1CEST,M3.5.0,M10.5.0/3")");
}

ZoneSpan span_under(const ZoneRule& rule, int64_t unix_seconds) {
  ZoneSpan span{.east_seconds = rule.standard_east};
  if (!rule.has_summer) return span;
  if (unix_seconds < kFirstMoment) {
    span.until = kFirstMoment;
    return span;
  }
  span.from = kLastMoment;
  if (unix_seconds >= kLastMoment) return span;
  span = {.east_seconds = rule.standard_east, .from = kFirstMoment, .until = kLastMoment};
  const std::chrono::sys_days today{std::chrono::days{unix_seconds / kDaySeconds}};
  const std::chrono::year year = std::chrono::year_month_day{today}.year();
  int64_t best_before = kFirstMoment;
  // A change may lie a week outside its year, so the years around are asked, too. Where an end and a start coincide
  // the start counts: summer all the year.
  for (int shift = -2; shift <= 2; ++shift) {
    const std::chrono::year which = year + std::chrono::years{shift};
    const auto consider = [&](const ZoneRuleDay& when, int32_t east_before, int32_t east_after) {
      const int64_t at = day_of(when, which) * kDaySeconds + when.second - east_before;
      if (at > unix_seconds) {
        span.until = std::min(span.until, at);
      } else if (at >= best_before) {
        best_before = at;
        span.east_seconds = east_after;
      }
    };
    consider(rule.summer_ends, rule.summer_east, rule.standard_east);
    consider(rule.summer_starts, rule.standard_east, rule.summer_east);
  }
  span.from = best_before;
  return span;
}

}  // namespace basalt::text
