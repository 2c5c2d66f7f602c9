// Kubernetes resource quantities: "100m", "1.5Gi", "2e3", "64".
//
// A Quantity is an exact number of billionths (nano) between -(2^63-1) and 2^63-1, as Kubernetes defines it: digits
// below a nano are rounded away from zero, larger amounts are cut to the bound. It remembers the family of suffixes
// it was written with, only for printing; comparing and adding look at the number alone. 16 bytes, no allocation.
//
// Grammar: [+-] digits[.digits] with at least one digit, then one of
//   n u m "" k M G T P E  ·  Ki Mi Gi Ti Pi Ei  ·  e or E with a signed whole exponent ("1E" alone is exa).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace basalt::text {

inline constexpr size_t kMaxQuantityBytes = 512;

enum class QuantityFormat : uint8_t { DecimalSI, BinarySI, DecimalExponent };

class Quantity {
 public:
  constexpr Quantity() = default;
  static Quantity from_units(int64_t units, QuantityFormat format = QuantityFormat::DecimalSI);
  static Quantity from_milli(int64_t milli, QuantityFormat format = QuantityFormat::DecimalSI);
  // `text` exactly: no blanks around it. Cost: O(text).
  static Result<Quantity> parse(std::string_view text);

  // Whole units, a rest rounded away from zero: 1.1 → 2, -1.1 → -2.
  [[nodiscard]] int64_t value() const;
  // Thousandths, rounded likewise and cut to the range of int64.
  [[nodiscard]] int64_t milli_value() const;
  [[nodiscard]] bool is_zero() const { return units_ == 0 && nanos_ == 0; }
  [[nodiscard]] bool is_negative() const { return units_ < 0; }
  [[nodiscard]] QuantityFormat format() const { return format_; }

  // The canonical text, as Kubernetes prints it: the largest suffix that leaves a whole number ("1.5Gi" → "1536Mi",
  // "0.5" → "500m", "2000" → "2k"). Reads back as the same number.
  [[nodiscard]] std::string to_string() const;

  // Sums and differences are cut to the bounds. The result keeps the left format, or the right one if left is zero.
  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);
  friend Quantity operator+(Quantity left, const Quantity& right) { return left += right; }
  friend Quantity operator-(Quantity left, const Quantity& right) { return left -= right; }
  friend bool operator==(const Quantity& left, const Quantity& right) { return (left <=> right) == 0; }
  friend std::strong_ordering operator<=>(const Quantity& left, const Quantity& right) {
    if (const auto order = left.units_ <=> right.units_; order != 0) return order;
    return left.nanos_ <=> right.nanos_;
  }

 private:
  // The number is units_ + nanos_ / 10^9 with 0 <= nanos_ < 10^9 (so -0.5 is -1 + 0.5).
  int64_t units_ = 0;
  int32_t nanos_ = 0;
  QuantityFormat format_ = QuantityFormat::DecimalSI;

  friend struct QuantityNanos;  // quantity.cc: the number as one 128-bit count of nanos
};

}  // namespace basalt::text
