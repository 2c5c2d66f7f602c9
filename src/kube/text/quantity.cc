#include "kube/text/quantity.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "kube/text/document_path.h"

namespace basalt::text {

__extension__ using Wide = __int128;

namespace {

constexpr Wide kNano = 1'000'000'000;
constexpr Wide kMaxNanos = Wide{std::numeric_limits<int64_t>::max()} * kNano;

struct Suffix {
  std::string_view text;
  int exponent10 = 0;
  int exponent2 = 0;
  QuantityFormat format = QuantityFormat::DecimalSI;
};

constexpr std::array<Suffix, 10> kDecimalSuffixes = {{
    {.text = "n", .exponent10 = -9},
    {.text = "u", .exponent10 = -6},
    {.text = "m", .exponent10 = -3},
    {.text = "", .exponent10 = 0},
    {.text = "k", .exponent10 = 3},
    {.text = "M", .exponent10 = 6},
    {.text = "G", .exponent10 = 9},
    {.text = "T", .exponent10 = 12},
    {.text = "P", .exponent10 = 15},
    {.text = "E", .exponent10 = 18},
}};
constexpr std::array<std::string_view, 7> kBinarySuffixes = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

// Exponents beyond this only say "zero or the bound", whatever the digits are.
constexpr int kFarExponent = 2 * static_cast<int>(kMaxQuantityBytes);

std::optional<int> parse_exponent(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text.empty()) return std::nullopt;
  int exponent = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    exponent = std::min(exponent * 10 + (c - '0'), kFarExponent);
  }
  return negative ? -exponent : exponent;
}

std::optional<Suffix> parse_suffix(std::string_view text) {
  for (const Suffix& suffix : kDecimalSuffixes) {
    if (suffix.text == text) return suffix;
  }
  for (size_t i = 1; i < kBinarySuffixes.size(); ++i) {
    if (kBinarySuffixes[i] == text) {
      return Suffix{.text = text, .exponent2 = static_cast<int>(10 * i), .format = QuantityFormat::BinarySI};
    }
  }
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  const std::optional<int> exponent = parse_exponent(text.substr(1));
  if (!exponent) return std::nullopt;
  return Suffix{.text = text, .exponent10 = *exponent, .format = QuantityFormat::DecimalExponent};
}

struct Digits {
  std::string significant;  // without leading zeros; empty: the number is zero
  int point = 0;            // how many of them stand before the decimal point (may be negative or beyond the end)
};

Digits significant_digits(std::string_view before, std::string_view after) {
  Digits digits{.significant = std::string(before) + std::string(after), .point = static_cast<int>(before.size())};
  const size_t zeros = std::min(digits.significant.find_first_not_of('0'), digits.significant.size());
  digits.significant.erase(0, zeros);
  digits.point -= static_cast<int>(zeros);
  return digits;
}

// digits · 2^exponent2 in nanos, a rest rounded up, cut at the bound. Exact: the whole part is below 2^63 or cut, and
// the fraction is folded from its last digit, where flooring a tenth at each step loses nothing but the rest.
Wide nanos_of(const Digits& digits, int exponent2) {
  constexpr int kMaxWholeDigits = 19;
  constexpr int kTiniestPoint = -40;  // 10^-40 · 2^60 is far below a nano
  if (digits.significant.empty()) return 0;
  if (digits.point > kMaxWholeDigits) return kMaxNanos;
  if (digits.point < kTiniestPoint) return 1;

  const int size = static_cast<int>(digits.significant.size());
  const auto digit_at = [&](int i) -> Wide {
    return i < 0 || i >= size ? 0 : Wide{digits.significant[static_cast<size_t>(i)] - '0'};
  };
  const Wide scale = Wide{1} << exponent2;
  Wide whole = 0;
  for (int i = 0; i < digits.point; ++i) whole = whole * 10 + digit_at(i);
  if (whole > kMaxNanos / kNano / scale + 1) return kMaxNanos;

  Wide fraction = 0;
  bool rest = false;
  for (int i = size - 1; i >= digits.point; --i) {
    fraction += digit_at(i) * scale * kNano;
    rest = rest || fraction % 10 != 0;
    fraction /= 10;
  }
  return std::min(whole * scale * kNano + fraction + (rest ? 1 : 0), kMaxNanos);
}

std::string wide_text(Wide number) {
  std::string reversed;
  do {
    reversed += static_cast<char>('0' + static_cast<int>(number % 10));
    number /= 10;
  } while (number != 0);
  return {reversed.rbegin(), reversed.rend()};
}

// `nanos` >= 0 divided by `divisor`, a rest rounded up.
Wide divide_up(Wide nanos, Wide divisor) { return nanos / divisor + (nanos % divisor != 0 ? 1 : 0); }

int64_t to_int64(Wide number) {
  constexpr Wide kMin = std::numeric_limits<int64_t>::min();
  constexpr Wide kMax = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::clamp(number, kMin, kMax));
}

std::string binary_text(Wide units) {
  size_t step = 0;
  while (step + 1 < kBinarySuffixes.size() && units % 1024 == 0) {
    units /= 1024;
    ++step;
  }
  return wide_text(units) + std::string(kBinarySuffixes[step]);
}

std::string decimal_text(Wide nanos, bool as_exponent) {
  size_t step = 0;
  while (step + 1 < kDecimalSuffixes.size() && nanos % 1000 == 0) {
    nanos /= 1000;
    ++step;
  }
  const Suffix& suffix = kDecimalSuffixes[step];
  if (!as_exponent) return wide_text(nanos) + std::string(suffix.text);
  return wide_text(nanos) + (suffix.exponent10 == 0 ? "" : "e" + std::to_string(suffix.exponent10));
}

std::unexpected<Error> malformed_quantity(std::string_view text) {
  return invalid("quantity " + in_quotes(text) +
                 R"( is not a number with an optional suffix: write it like "500m", "2", "1.5Gi" or "1e3")");
}

}  // namespace

struct QuantityNanos {
  static Wide of(const Quantity& quantity) { return Wide{quantity.units_} * kNano + quantity.nanos_; }
  static Quantity make(Wide nanos, QuantityFormat format) {
    nanos = std::clamp(nanos, -kMaxNanos, kMaxNanos);
    Wide units = nanos / kNano;
    Wide rest = nanos % kNano;
    if (rest < 0) {
      rest += kNano;
      units -= 1;
    }
    Quantity quantity;
    quantity.units_ = static_cast<int64_t>(units);
    quantity.nanos_ = static_cast<int32_t>(rest);
    quantity.format_ = format;
    return quantity;
  }
};

Quantity Quantity::from_units(int64_t units, QuantityFormat format) {
  return QuantityNanos::make(Wide{units} * kNano, format);
}

Quantity Quantity::from_milli(int64_t milli, QuantityFormat format) {
  return QuantityNanos::make(Wide{milli} * (kNano / 1000), format);
}

Result<Quantity> Quantity::parse(std::string_view text) {
  if (text.size() > kMaxQuantityBytes) {
    return invalid("quantity " + in_quotes(text) + " is longer than " + std::to_string(kMaxQuantityBytes) +
                   " bytes: shorten it");
  }
  std::string_view rest = text;
  bool negative = false;
  if (!rest.empty() && (rest[0] == '+' || rest[0] == '-')) {
    negative = rest[0] == '-';
    rest.remove_prefix(1);
  }
  const auto take_digits = [&rest] {
    const std::string_view digits = rest.substr(0, std::min(rest.find_first_not_of("0123456789"), rest.size()));
    rest.remove_prefix(digits.size());
    return digits;
  };
  const std::string_view before = take_digits();
  std::string_view after;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    after = take_digits();
  }
  if (before.empty() && after.empty()) return malformed_quantity(text);
  const std::optional<Suffix> suffix = parse_suffix(rest);
  if (!suffix) return malformed_quantity(text);

  Digits digits = significant_digits(before, after);
  digits.point += suffix->exponent10;
  const Wide nanos = nanos_of(digits, suffix->exponent2);
  return QuantityNanos::make(negative ? -nanos : nanos, suffix->format);
}

int64_t Quantity::value() const {
  const Wide nanos = QuantityNanos::of(*this);
  return to_int64(nanos < 0 ? -divide_up(-nanos, kNano) : divide_up(nanos, kNano));
}

int64_t Quantity::milli_value() const {
  const Wide nanos = QuantityNanos::of(*this);
  return to_int64(nanos < 0 ? -divide_up(-nanos, kNano / 1000) : divide_up(nanos, kNano / 1000));
}

std::string Quantity::to_string() const {
  if (is_zero()) return "0";
  const Wide nanos = QuantityNanos::of(*this);
  const Wide magnitude = nanos < 0 ? -nanos : nanos;
  // Below 1Ki, or with a fraction, a binary suffix would round: Kubernetes then prints decimal.
  const bool binary = format_ == QuantityFormat::BinarySI && nanos_ == 0 && magnitude >= 1024 * kNano;
  return (nanos < 0 ? "-" : "") + (binary ? binary_text(magnitude / kNano)
                                          : decimal_text(magnitude, format_ == QuantityFormat::DecimalExponent));
}

Quantity& Quantity::operator+=(const Quantity& other) {
  return *this = QuantityNanos::make(QuantityNanos::of(*this) + QuantityNanos::of(other),
                                     is_zero() ? other.format_ : format_);
}

Quantity& Quantity::operator-=(const Quantity& other) {
  return *this = QuantityNanos::make(QuantityNanos::of(*this) - QuantityNanos::of(other),
                                     is_zero() ? other.format_ : format_);
}

}  // namespace basalt::text
