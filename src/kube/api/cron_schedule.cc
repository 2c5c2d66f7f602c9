#include "kube/api/cron_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "kube/api/go_quote.h"
#include "kube/text/go_duration.h"
#include "kube/text/scalar.h"

namespace basalt::api {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kDaySeconds = 86'400;
constexpr int64_t kMaxYearsAhead = 5;
constexpr size_t kFields = 5;

constexpr std::array<std::string_view, 12> kMonthNames = {"jan", "feb", "mar", "apr", "may", "jun",
                                                          "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kDayNames = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

struct FieldKind {
  int64_t low, high;
  std::span<const std::string_view> names;  // the first one means `low`
};

constexpr std::array<FieldKind, kFields> kFieldKinds = {
    {{0, 59, {}}, {0, 23, {}}, {1, 31, {}}, {1, 12, kMonthNames}, {0, 6, kDayNames}}};

struct FieldBits {
  uint64_t bits = 0;
  bool star = false;
};

bool same_word(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

// As Go's Atoi words its errors.
Result<int64_t> parse_number(std::string_view text) {
  const Result<int64_t> number = text::parse_int(text);
  if (number && *number < 0) return invalid(fmt::format("negative number ({}) not allowed: {}", *number, text));
  if (number) return number;
  const std::string_view digits = text.substr(std::min<size_t>(text.find_first_not_of("+-"), text.size()));
  const bool too_large = !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
  return invalid(fmt::format("failed to parse int from {}: strconv.Atoi: parsing {}: {}", text, go_quote(text),
                             too_large ? "value out of range" : "invalid syntax"));
}

Result<int64_t> parse_value(const FieldKind& kind, std::string_view text) {
  for (size_t i = 0; i < kind.names.size(); ++i) {
    if (same_word(text, kind.names[i])) return kind.low + static_cast<int64_t>(i);
  }
  return parse_number(text);
}

// What stands before a step: `*`, `?`, `a` or `a-b`.
struct Range {
  int64_t low = 0, high = 0;
  bool star = false, single = false;
};

Result<Range> parse_range(const FieldKind& kind, std::string_view text, std::string_view item) {
  const size_t hyphen = text.find('-');
  const std::string_view first = text.substr(0, hyphen);
  if (first == "*" || first == "?") {  // what follows a hyphen after a star does not count
    return Range{.low = kind.low, .high = kind.high, .star = true, .single = hyphen == std::string_view::npos};
  }
  const Result<int64_t> low = parse_value(kind, first);
  if (!low) return std::unexpected(low.error());
  if (hyphen == std::string_view::npos) return Range{.low = *low, .high = *low, .single = true};
  const std::string_view last = text.substr(hyphen + 1);
  if (last.find('-') != std::string_view::npos) return invalid(fmt::format("too many hyphens: {}", item));
  const Result<int64_t> high = parse_value(kind, last);
  if (!high) return std::unexpected(high.error());
  return Range{.low = *low, .high = *high};
}

Result<void> check_bounds(const FieldKind& kind, const Range& range, std::string_view item) {
  if (range.low < kind.low) {
    return invalid(fmt::format("beginning of range ({}) below minimum ({}): {}", range.low, kind.low, item));
  }
  if (range.high > kind.high) {
    return invalid(fmt::format("end of range ({}) above maximum ({}): {}", range.high, kind.high, item));
  }
  if (range.low > range.high) {
    return invalid(fmt::format("beginning of range ({}) beyond end of range ({}): {}", range.low, range.high, item));
  }
  return {};
}

Result<FieldBits> parse_item(const FieldKind& kind, std::string_view item) {
  const size_t slash = item.find('/');
  Result<Range> range = parse_range(kind, item.substr(0, slash), item);
  if (!range) return std::unexpected(range.error());
  int64_t step = 1;
  if (slash != std::string_view::npos) {
    const std::string_view text = item.substr(slash + 1);
    if (text.find('/') != std::string_view::npos) return invalid(fmt::format("too many slashes: {}", item));
    const Result<int64_t> number = parse_number(text);
    if (!number) return std::unexpected(number.error());
    step = *number;
    if (range->single) range->high = kind.high;
    if (step > 1) range->star = false;
  }
  if (const Result<void> fine = check_bounds(kind, *range, item); !fine) return std::unexpected(fine.error());
  if (step == 0) return invalid(fmt::format("step of range should be a positive number: {}", item));
  FieldBits field{.star = range->star};
  for (int64_t value = range->low; value <= range->high; value += std::min(step, kind.high + 1)) {
    field.bits |= uint64_t{1} << value;
  }
  return field;
}

Result<FieldBits> parse_field(const FieldKind& kind, std::string_view text) {
  FieldBits field;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    if (item.empty()) continue;
    const Result<FieldBits> one = parse_item(kind, item);
    if (!one) return one;
    field.bits |= one->bits;
    field.star |= one->star;
  }
  return field;
}

// The fields that stand for a word; "" when it is none.
std::string_view fields_of(std::string_view word) {
  struct Row {
    std::string_view word, fields;
  };
  constexpr std::array<Row, 7> kRows = {{{"@yearly", "0 0 1 1 *"},
                                         {"@annually", "0 0 1 1 *"},
                                         {"@monthly", "0 0 1 * *"},
                                         {"@weekly", "0 0 * * 0"},
                                         {"@daily", "0 0 * * *"},
                                         {"@midnight", "0 0 * * *"},
                                         {"@hourly", "0 * * * *"}}};
  const auto* const row = std::ranges::find(kRows, word, &Row::word);
  return row == kRows.end() ? std::string_view() : row->fields;
}

std::string_view next_word(std::string_view& rest) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  const std::string_view word = rest.substr(0, rest.find_first_of(kBlanks));
  rest.remove_prefix(word.size());
  return word;
}

int64_t floor_div(int64_t value, int64_t by) { return value / by - (value % by < 0 ? 1 : 0); }

}  // namespace

Result<CronSchedule> CronSchedule::parse(std::string_view text) {
  constexpr std::string_view kEvery = "@every ";
  CronSchedule schedule;
  if (text.empty()) return invalid("empty spec string");
  if (text.size() > kMaxScheduleBytes) return invalid("too long");
  if (text.starts_with("TZ=") || text.starts_with("CRON_TZ=")) {
    return invalid("TZ and CRON_TZ are not allowed in a schedule: use the field timeZone");
  }
  if (text.starts_with(kEvery)) {
    const Result<Duration> delay = text::parse_duration(text.substr(kEvery.size()));
    if (!delay) return std::unexpected(delay.error().within(fmt::format("failed to parse duration {}", text)));
    schedule.every_seconds_ = std::max<int64_t>(delay->nanos / kSecond, 1);
    return schedule;
  }
  std::string_view rest = text;
  if (text.starts_with('@')) {
    rest = fields_of(text);
    if (rest.empty()) return invalid(fmt::format("unrecognized descriptor: {}", text));
  }
  std::vector<std::string_view> words;
  for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest)) words.push_back(word);
  if (words.size() != kFields) {
    return invalid(
        fmt::format("expected exactly {} fields, found {}: [{}]", kFields, words.size(), fmt::join(words, " ")));
  }
  std::array<FieldBits, kFields> fields;
  for (size_t i = 0; i < kFields; ++i) {
    const Result<FieldBits> field = parse_field(kFieldKinds[i], words[i]);
    if (!field) return std::unexpected(field.error());
    fields[i] = *field;
  }
  schedule.minutes_ = fields[0].bits;
  schedule.hours_ = fields[1].bits;
  schedule.days_ = fields[2].bits;
  schedule.months_ = fields[3].bits;
  schedule.weekdays_ = fields[4].bits;
  schedule.any_day_ = fields[2].star;
  schedule.any_weekday_ = fields[4].star;
  return schedule;
}

bool CronSchedule::matches_date(unsigned month, unsigned day, unsigned weekday) const {
  if ((months_ >> month & 1) == 0) return false;
  const bool in_days = (days_ >> day & 1) != 0;
  const bool in_weekdays = (weekdays_ >> weekday & 1) != 0;
  return any_day_ || any_weekday_ ? in_days && in_weekdays : in_days || in_weekdays;
}

// The first second of a day, not before `from_second`, whose hour and minute match.
std::optional<int64_t> CronSchedule::first_in_day(int64_t from_second) const {
  const int64_t minute_of_day = (from_second + 59) / 60;
  for (int64_t hour = minute_of_day / 60; hour < 24; ++hour) {
    const int64_t from_minute = std::max<int64_t>(minute_of_day - hour * 60, 0);
    if ((hours_ >> hour & 1) == 0) continue;
    const uint64_t left = minutes_ >> from_minute;
    if (left != 0) return (hour * 60 + from_minute + std::countr_zero(left)) * 60;
  }
  return std::nullopt;
}

std::optional<Instant> CronSchedule::next(Instant after, const text::TimeZone& zone) const {
  constexpr int64_t kLastSecond = std::numeric_limits<int64_t>::max() / kSecond - kDaySeconds * 2;
  const int64_t whole = floor_div(after.nanos, kSecond);
  if (every_seconds_ > 0) {
    if (every_seconds_ > kLastSecond - whole) return std::nullopt;
    return Instant::from_unix_seconds(whole + every_seconds_);
  }
  std::optional<std::chrono::year> last_year;
  // Each round looks at one day by one setting of the clocks.
  for (int64_t moment = whole + 1; moment <= kLastSecond;) {
    const text::ZoneSpan span = zone.at(moment);
    const int64_t local = moment + span.east_seconds;
    const int64_t day = floor_div(local, kDaySeconds);
    const std::chrono::sys_days date{std::chrono::days{day}};
    const std::chrono::year_month_day calendar{date};
    if (!last_year) last_year = calendar.year() + std::chrono::years{kMaxYearsAhead};
    if (calendar.year() > *last_year) return std::nullopt;
    if (matches_date(unsigned{calendar.month()}, unsigned{calendar.day()}, std::chrono::weekday{date}.c_encoding())) {
      const std::optional<int64_t> second = first_in_day(local - day * kDaySeconds);
      const int64_t found = second ? day * kDaySeconds + *second - span.east_seconds : span.until;
      if (found < span.until) return Instant::from_unix_seconds(found);
    }
    moment = std::min((day + 1) * kDaySeconds - span.east_seconds, span.until);
  }
  return std::nullopt;
}

}  // namespace basalt::api
