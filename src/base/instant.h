// Points and lengths of time, as plain numbers.
//
// Sums, differences and conversions saturate: what does not fit is the longest length, or the first or last point, that
// there is (292 years from the epoch). Seconds often come from objects and requests, where 2^63-1 is as valid as 30.
//
// The engine never reads a clock: `now` is an argument. Nanoseconds since the Unix epoch reach from 1678 to 2262;
// kNever (the zero value) stands for "no time given", as in a Kubernetes object without a timestamp.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace basalt {

constexpr int64_t saturated_sum(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}

constexpr int64_t saturated_difference(int64_t a, int64_t b) {
  int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b < 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}

constexpr int64_t saturated_product(int64_t a, int64_t b) {
  int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) == (b < 0) ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}

struct Duration {
  int64_t nanos = 0;
  static constexpr Duration seconds(int64_t s) { return {saturated_product(s, 1'000'000'000)}; }
  static constexpr Duration millis(int64_t ms) { return {saturated_product(ms, 1'000'000)}; }
  friend constexpr auto operator<=>(Duration, Duration) = default;
};

struct Instant {
  int64_t nanos = 0;
  static constexpr Instant from_unix_seconds(int64_t s) { return {saturated_product(s, 1'000'000'000)}; }
  [[nodiscard]] constexpr bool is_set() const { return nanos != 0; }
  friend constexpr auto operator<=>(Instant, Instant) = default;
  friend constexpr Instant operator+(Instant at, Duration length) { return {saturated_sum(at.nanos, length.nanos)}; }
  friend constexpr Duration operator-(Instant later, Instant earlier) {
    return {saturated_difference(later.nanos, earlier.nanos)};
  }
};

inline constexpr Instant kNever{};

}  // namespace basalt
