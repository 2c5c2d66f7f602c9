#include "kube/text/rfc3339.h"

#include <array>
#include <cstdint>
#include <optional>

#include "kube/text/document_path.h"

namespace basalt::text {
namespace {

constexpr int64_t kSecondNanos = 1'000'000'000;

// Days since 1970-01-01 in the proleptic Gregorian calendar; years start in March so that the leap day comes last.
int64_t days_from_date(int64_t year, int64_t month, int64_t day) {
  if (month <= 2) --year;
  const int64_t era = year / 400;
  const int64_t year_of_era = year - era * 400;
  const int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return era * 146'097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719'468;
}

struct Date {
  int64_t year, month, day;
};

// The inverse. Requires: a day whose year is above 0, as every Instant's is.
Date date_from_days(int64_t days) {
  days += 719'468;
  const int64_t era = days / 146'097;
  const int64_t day_of_era = days - era * 146'097;
  const int64_t year_of_era = (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t shifted_month = (5 * day_of_year + 2) / 153;
  const int64_t month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
  return {.year = year_of_era + era * 400 + (month <= 2 ? 1 : 0),
          .month = month,
          .day = day_of_year - (153 * shifted_month + 2) / 5 + 1};
}

int64_t days_in_month(int64_t year, int64_t month) {
  constexpr std::array<int64_t, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return kDays[static_cast<size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
}

// Eats its text from the front; every take answers nothing when the text is not as expected.
struct TimeScanner {
  std::string_view rest;

  std::optional<int64_t> number(size_t digits, int64_t low, int64_t high) {
    if (rest.size() < digits) return std::nullopt;
    int64_t value = 0;
    for (const char c : rest.substr(0, digits)) {
      if (c < '0' || c > '9') return std::nullopt;
      value = value * 10 + (c - '0');
    }
    rest.remove_prefix(digits);
    if (value < low || value > high) return std::nullopt;
    return value;
  }
  bool one_of(std::string_view chars) {
    if (rest.empty() || chars.find(rest[0]) == std::string_view::npos) return false;
    rest.remove_prefix(1);
    return true;
  }
  // ".123": nanoseconds. No fraction is zero; a point without digits is nothing.
  std::optional<int64_t> fraction() {
    if (!one_of(".,")) return 0;
    int64_t nanos = 0;
    int64_t place = kSecondNanos / 10;
    size_t digits = 0;
    for (; !rest.empty() && rest[0] >= '0' && rest[0] <= '9'; rest.remove_prefix(1), ++digits) {
      nanos += (rest[0] - '0') * place;
      place /= 10;
    }
    return digits == 0 ? std::nullopt : std::optional(nanos);
  }
  // "Z" or "+02:00": seconds east of UTC.
  std::optional<int64_t> offset() {
    if (one_of("Z")) return 0;
    const bool west = rest.starts_with('-');
    if (!one_of("+-")) return std::nullopt;
    const auto hours = number(2, 0, 23);
    if (!hours || !one_of(":")) return std::nullopt;
    const auto minutes = number(2, 0, 59);
    if (!minutes) return std::nullopt;
    const int64_t seconds = *hours * 3600 + *minutes * 60;
    return west ? -seconds : seconds;
  }
};

struct Moment {
  int64_t year = 0, seconds = 0, nanos = 0;  // seconds since the Unix epoch, plus nanos
};

std::optional<Moment> scan_moment(std::string_view text) {
  TimeScanner scan{text};
  const auto year = scan.number(4, 0, 9999);
  if (!year || !scan.one_of("-")) return std::nullopt;
  const auto month = scan.number(2, 1, 12);
  if (!month || !scan.one_of("-")) return std::nullopt;
  const auto day = scan.number(2, 1, days_in_month(*year, *month));
  if (!day || !scan.one_of("T")) return std::nullopt;
  const auto hour = scan.number(2, 0, 23);
  if (!hour || !scan.one_of(":")) return std::nullopt;
  const auto minute = scan.number(2, 0, 59);
  if (!minute || !scan.one_of(":")) return std::nullopt;
  const auto second = scan.number(2, 0, 59);
  if (!second) return std::nullopt;
  const auto nanos = scan.fraction();
  if (!nanos) return std::nullopt;
  const auto offset = scan.offset();
  if (!offset || !scan.rest.empty()) return std::nullopt;
  // Year 0 and the arithmetic for eras below it do not matter: such a year is refused by the caller.
  const int64_t days = days_from_date(*year, *month, *day);
  return Moment{
      .year = *year, .seconds = days * kDaySeconds + *hour * 3600 + *minute * 60 + *second - *offset, .nanos = *nanos};
}

struct Clock {
  Date date;
  int64_t hour, minute, second, micro;
};

Clock clock_of(Instant at) {
  int64_t seconds = at.nanos / kSecondNanos;
  int64_t nanos = at.nanos % kSecondNanos;
  if (nanos < 0) {
    nanos += kSecondNanos;
    --seconds;
  }
  int64_t days = seconds / kDaySeconds;
  int64_t of_day = seconds % kDaySeconds;
  if (of_day < 0) {
    of_day += kDaySeconds;
    --days;
  }
  return {.date = date_from_days(days),
          .hour = of_day / 3600,
          .minute = of_day / 60 % 60,
          .second = of_day % 60,
          .micro = nanos / 1000};
}

std::string padded(int64_t number, size_t digits) {
  std::string text = std::to_string(number);
  return text.size() < digits ? std::string(digits - text.size(), '0') + text : text;
}

std::string format_seconds(const Clock& clock) {
  return padded(clock.date.year, 4) + '-' + padded(clock.date.month, 2) + '-' + padded(clock.date.day, 2) + 'T' +
         padded(clock.hour, 2) + ':' + padded(clock.minute, 2) + ':' + padded(clock.second, 2);
}

}  // namespace

Result<Instant> parse_time(std::string_view text) {
  constexpr int64_t kFirstYear = 1678;
  constexpr int64_t kLastYear = 2261;
  const std::optional<Moment> moment = scan_moment(text);
  if (!moment) {
    return invalid("time " + in_quotes(text) + R"( is not RFC 3339: write it like "2024-05-01T12:00:00Z")");
  }
  if (moment->year == 1) return kNever;
  if (moment->year < kFirstYear || moment->year > kLastYear) {
    return invalid("time " + in_quotes(text) + " is outside the years 1678 to 2261");
  }
  return Instant{moment->seconds * kSecondNanos + moment->nanos};
}

std::string format_time(Instant at) { return at.is_set() ? format_seconds(clock_of(at)) + 'Z' : ""; }

std::string format_micro_time(Instant at) {
  if (!at.is_set()) return "";
  const Clock clock = clock_of(at);
  return format_seconds(clock) + '.' + padded(clock.micro, 6) + 'Z';
}

}  // namespace basalt::text
