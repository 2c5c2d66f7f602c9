// The typing of plain YAML scalars (declared in yaml.h).
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <system_error>

#include "kube/text/yaml.h"

namespace basalt::text {
namespace {

template <size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view text) {
  return std::ranges::find(words, text) != words.end();
}

std::optional<Value> word_value(std::string_view text) {
  constexpr std::array<std::string_view, 5> kNull = {"", "~", "null", "Null", "NULL"};
  constexpr std::array<std::string_view, 11> kTrue = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                                      "True", "TRUE", "on",  "On",  "ON"};
  constexpr std::array<std::string_view, 11> kFalse = {"n",     "N",     "no",  "No",  "NO", "false",
                                                       "False", "FALSE", "off", "Off", "OFF"};
  constexpr std::array<std::string_view, 6> kInfinity = {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"};
  constexpr std::array<std::string_view, 3> kMinusInfinity = {"-.inf", "-.Inf", "-.INF"};
  constexpr std::array<std::string_view, 3> kNan = {".nan", ".NaN", ".NAN"};
  if (is_one_of(kNull, text)) return Value(nullptr);
  if (is_one_of(kTrue, text)) return Value(true);
  if (is_one_of(kFalse, text)) return Value(false);
  if (is_one_of(kInfinity, text)) return Value(std::numeric_limits<double>::infinity());
  if (is_one_of(kMinusInfinity, text)) return Value(-std::numeric_limits<double>::infinity());
  if (is_one_of(kNan, text)) return Value(std::numeric_limits<double>::quiet_NaN());
  return std::nullopt;
}

// A whole number with Go's base prefixes. `digits` has no underscores.
std::optional<Value> whole_value(std::string_view digits) {
  bool negative = false;
  if (digits.starts_with('+') || digits.starts_with('-')) {
    negative = digits[0] == '-';
    digits.remove_prefix(1);
  }
  int base = 10;
  if (digits.size() > 1 && digits[0] == '0') {
    const char mark = static_cast<char>(digits[1] | 0x20);  // lower case for letters
    base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
    digits.remove_prefix(mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1);
  }
  uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  constexpr uint64_t kMaxPositive = std::numeric_limits<int64_t>::max();
  if (!negative && magnitude > kMaxPositive) return Value(magnitude);
  if (negative && magnitude > kMaxPositive + 1) return std::nullopt;
  return Value(static_cast<int64_t>(negative ? uint64_t{0} - magnitude : magnitude));
}

// [+-] ( .digits | digits [. digits] ) [exponent]
bool looks_like_fraction(std::string_view text) {
  size_t i = text.starts_with('+') || text.starts_with('-') ? 1 : 0;
  const auto digits = [&] {
    const size_t from = i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
    return i - from;
  };
  const size_t before = digits();
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (digits() + before == 0) return false;
  } else if (before == 0) {
    return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (digits() == 0) return false;
  }
  return i == text.size();
}

std::optional<Value> fraction_value(std::string_view text) {
  if (!looks_like_fraction(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  return Value(number);
}

}  // namespace

Value plain_scalar(std::string_view text) {
  if (std::optional<Value> word = word_value(text)) return *std::move(word);
  const char first = text.front();
  if ((first >= '0' && first <= '9') || first == '+' || first == '-' || first == '.') {
    std::string digits(text);
    std::erase(digits, '_');
    if (first != '.') {
      if (std::optional<Value> whole = whole_value(digits)) return *std::move(whole);
    }
    if (std::optional<Value> fraction = fraction_value(digits)) return *std::move(fraction);
  }
  return Value(boost::json::string(text));
}

}  // namespace basalt::text
