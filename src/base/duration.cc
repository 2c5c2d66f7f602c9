#include "base/duration.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace basalt {
namespace {

constexpr uint64_t kMicro = 1'000;
constexpr uint64_t kMilli = 1'000 * kMicro;
constexpr uint64_t kSecond = 1'000 * kMilli;
constexpr uint64_t kMinute = 60 * kSecond;
constexpr uint64_t kHour = 60 * kMinute;
constexpr uint64_t kMaxMagnitude = uint64_t{1} << 63U;  // reached only by the most negative duration

struct Unit {
  std::string_view text;
  uint64_t nanos;
};
constexpr std::array<Unit, 8> kUnits = {{{"ns", 1},
                                         {"us", kMicro},
                                         {"\xC2\xB5s", kMicro},  // U+00B5 micro sign
                                         {"\xCE\xBCs", kMicro},  // U+03BC Greek mu
                                         {"ms", kMilli},
                                         {"s", kSecond},
                                         {"m", kMinute},
                                         {"h", kHour}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::unexpected<Error> malformed(std::string_view text) {
  return invalid("\"" + std::string(text) + R"(" is not a length of time; write it like "1h30m", "10s" or "300ms")");
}

// Reads "<digits>[.<digits>]<unit>" off the front of `rest`; nothing if it is malformed or too long.
std::optional<uint64_t> take_part(std::string_view& rest) {
  size_t used = 0;
  size_t digits = 0;
  uint64_t whole = 0;
  for (; used < rest.size() && is_digit(rest[used]); ++used, ++digits) {
    if (whole > kMaxMagnitude / 10) return std::nullopt;
    whole = whole * 10 + static_cast<uint64_t>(rest[used] - '0');
  }
  uint64_t fraction = 0;
  double scale = 1;
  if (used < rest.size() && rest[used] == '.') {
    bool full = false;
    for (++used; used < rest.size() && is_digit(rest[used]); ++used, ++digits) {
      const uint64_t more = fraction * 10 + static_cast<uint64_t>(rest[used] - '0');
      full = full || fraction > (kMaxMagnitude - 1) / 10 || more > kMaxMagnitude;
      if (full) continue;  // further digits are below a nanosecond
      fraction = more;
      scale *= 10;
    }
  }
  if (digits == 0) return std::nullopt;
  const size_t unit_end = std::min(rest.find_first_of(".0123456789", used), rest.size());
  const std::string_view unit_text = rest.substr(used, unit_end - used);
  const auto* const unit = std::ranges::find(kUnits, unit_text, &Unit::text);
  if (unit == kUnits.end() || whole > kMaxMagnitude / unit->nanos) return std::nullopt;
  rest.remove_prefix(unit_end);
  // The fraction is at most one hour in nanos: a double holds that exactly.
  const auto below = static_cast<uint64_t>(static_cast<double>(fraction) * (static_cast<double>(unit->nanos) / scale));
  return whole * unit->nanos + below;
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  std::string_view rest = text;
  bool negative = false;
  if (!rest.empty() && (rest[0] == '+' || rest[0] == '-')) {
    negative = rest[0] == '-';
    rest.remove_prefix(1);
  }
  if (rest == "0") return Duration{};
  if (rest.empty()) return malformed(text);
  uint64_t total = 0;
  while (!rest.empty()) {
    const std::optional<uint64_t> part = take_part(rest);
    if (!part || *part > kMaxMagnitude || total > kMaxMagnitude - *part) return malformed(text);
    total += *part;
  }
  if (negative && total == kMaxMagnitude) return Duration{std::numeric_limits<int64_t>::min()};
  if (total >= kMaxMagnitude) return malformed(text);
  const auto magnitude = static_cast<int64_t>(total);
  return Duration{negative ? -magnitude : magnitude};
}

}  // namespace basalt
