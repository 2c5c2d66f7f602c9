// Points and lengths of time, as plain numbers.
//
// The engine never reads a clock: `now` is an argument. Nanoseconds since the Unix epoch reach from 1678 to 2262;
// kNever (the zero value) stands for "no time given", as in a Kubernetes object without a timestamp.
#pragma once

#include <compare>
#include <cstdint>

namespace basalt {

struct Duration {
  int64_t nanos = 0;
  static constexpr Duration seconds(int64_t s) { return {s * 1'000'000'000}; }
  static constexpr Duration millis(int64_t ms) { return {ms * 1'000'000}; }
  friend constexpr auto operator<=>(Duration, Duration) = default;
};

struct Instant {
  int64_t nanos = 0;
  static constexpr Instant from_unix_seconds(int64_t s) { return {s * 1'000'000'000}; }
  [[nodiscard]] constexpr bool is_set() const { return nanos != 0; }
  friend constexpr auto operator<=>(Instant, Instant) = default;
  friend constexpr Instant operator+(Instant at, Duration length) { return {at.nanos + length.nanos}; }
  friend constexpr Duration operator-(Instant later, Instant earlier) { return {later.nanos - earlier.nanos}; }
};

inline constexpr Instant kNever{};

}  // namespace basalt
