#include "base/duration.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace basalt {

namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

constexpr std::array<std::pair<std::string_view, int64_t>, 8> kUnits = {{{"ns", 1},
                                                                         {"us", 1'000},
                                                                         {"\xC2\xB5s", 1'000},  // micro sign
                                                                         {"\xCE\xBCs", 1'000},  // Greek mu
                                                                         {"ms", 1'000'000},
                                                                         {"s", 1'000'000'000},
                                                                         {"m", 60'000'000'000},
                                                                         {"h", 3'600'000'000'000}}};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The leading digits of `rest`, which loses them.
std::string_view take_digits(std::string_view& rest) {
  const auto end = std::find_if_not(rest.begin(), rest.end(), is_digit);
  const auto digits = rest.substr(0, static_cast<size_t>(end - rest.begin()));
  rest.remove_prefix(digits.size());
  return digits;
}

// One "<number><unit>" off the front of `rest`.
std::optional<int64_t> take_term(std::string_view& rest) {
  const std::string_view whole = take_digits(rest);
  std::string_view fraction;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    fraction = take_digits(rest);
  }
  if (whole.empty() && fraction.empty()) return std::nullopt;
  const auto unit_end = std::find_if(rest.begin(), rest.end(), [](char c) { return c == '.' || is_digit(c); });
  const std::string_view name = rest.substr(0, static_cast<size_t>(unit_end - rest.begin()));
  const auto* const unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const auto& u) { return u.first == name; });
  if (unit == kUnits.end()) return std::nullopt;
  rest.remove_prefix(name.size());
  int64_t nanos = 0;
  for (const char digit : whole) {
    if (nanos > (kMax / unit->second - (digit - '0')) / 10) return std::nullopt;
    nanos = nanos * 10 + (digit - '0');
  }
  nanos *= unit->second;
  for (int64_t place = unit->second / 10; const char digit : fraction) {
    const int64_t part = place * (digit - '0');
    if (nanos > kMax - part) return std::nullopt;
    nanos += part;
    place /= 10;
  }
  return nanos;
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  const auto malformed = [&] {
    return invalid("\"" + std::string(text) + R"(" is not a length of time; write it like "1h30m", "10s" or "300ms")");
  };
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest == "0") return Duration{};
  if (rest.empty()) return malformed();
  int64_t total = 0;
  while (!rest.empty()) {
    const std::optional<int64_t> term = take_term(rest);
    if (!term || total > kMax - *term) return malformed();
    total += *term;
  }
  return Duration{negative ? -total : total};
}

}  // namespace basalt
