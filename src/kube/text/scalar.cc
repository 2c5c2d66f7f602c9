#include "kube/text/scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

#include "kube/text/document_path.h"

namespace basalt::text {
namespace {

// Go allows a leading '+', from_chars does not.
std::string_view without_plus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

template <class Number>
Result<Number> parse_number(std::string_view text, std::string_view wanted) {
  const std::string_view digits = without_plus(text);
  Number number{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc::result_out_of_range)
    return invalid(in_quotes(text) + " is out of range for " + std::string(wanted));
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return invalid(in_quotes(text) + " is not " + std::string(wanted));
  }
  return number;
}

}  // namespace

Result<bool> parse_bool(std::string_view text) {
  constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "true", "True", "TRUE"};
  constexpr std::array<std::string_view, 6> kFalse = {"0", "f", "F", "false", "False", "FALSE"};
  if (std::ranges::find(kTrue, text) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, text) != kFalse.end()) return false;
  return invalid(in_quotes(text) + " is not a boolean: write true or false");
}

Result<int64_t> parse_int(std::string_view text) { return parse_number<int64_t>(text, "a whole number of 64 bits"); }
Result<int32_t> parse_int32(std::string_view text) { return parse_number<int32_t>(text, "a whole number of 32 bits"); }

Result<double> parse_double(std::string_view text) {
  // from_chars also takes "inf" and "nan": only text with a digit is meant to be a number here.
  if (text.find_first_of("0123456789") == std::string_view::npos) return invalid(in_quotes(text) + " is not a number");
  Result<double> number = parse_number<double>(text, "a number");
  if (number && !std::isfinite(*number)) return invalid(in_quotes(text) + " is not a finite number");
  return number;
}

}  // namespace basalt::text
