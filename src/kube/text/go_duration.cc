#include "kube/text/go_duration.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "kube/text/document_path.h"

namespace basalt::text {
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

std::unexpected<Error> malformed_duration(std::string_view text) {
  return invalid("duration " + in_quotes(text) + R"( is not understood: write it like "1h30m", "10s" or "300ms")");
}

// Reads "<digits>[.<digits>]<unit>" off the front of `rest`; nothing if it is malformed_duration or too long.
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

std::string with_fraction(uint64_t nanos, uint64_t unit, std::string_view suffix) {
  std::string text = std::to_string(nanos / unit);
  if (uint64_t rest = nanos % unit; rest != 0) {
    std::string digits;
    for (uint64_t place = unit / 10; rest != 0; place /= 10) {
      digits += static_cast<char>('0' + rest / place);
      rest %= place;
    }
    text += '.' + digits;
  }
  return text.append(suffix);
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
  if (rest.empty()) return malformed_duration(text);
  uint64_t total = 0;
  while (!rest.empty()) {
    const std::optional<uint64_t> part = take_part(rest);
    if (!part || *part > kMaxMagnitude || total > kMaxMagnitude - *part) return malformed_duration(text);
    total += *part;
  }
  if (negative && total == kMaxMagnitude) return Duration{std::numeric_limits<int64_t>::min()};
  if (total >= kMaxMagnitude) return malformed_duration(text);
  const auto magnitude = static_cast<int64_t>(total);
  return Duration{negative ? -magnitude : magnitude};
}

std::string format_duration(Duration length) {
  if (length.nanos == 0) return "0s";
  const bool negative = length.nanos < 0;
  const uint64_t nanos =
      negative ? uint64_t{0} - static_cast<uint64_t>(length.nanos) : static_cast<uint64_t>(length.nanos);
  std::string text = negative ? "-" : "";
  if (nanos < kMicro) return text + std::to_string(nanos) + "ns";
  if (nanos < kMilli) return text + with_fraction(nanos, kMicro, "\xC2\xB5s");
  if (nanos < kSecond) return text + with_fraction(nanos, kMilli, "ms");
  if (nanos >= kHour) text += std::to_string(nanos / kHour) + "h";
  if (nanos >= kMinute) text += std::to_string(nanos % kHour / kMinute) + "m";
  return text + with_fraction(nanos % kMinute, kSecond, "s");
}

}  // namespace basalt::text
