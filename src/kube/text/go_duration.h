// Lengths of time as Go writes them: "1h30m", "300ms", "-1.5s", "0".
#pragma once

#include <string>
#include <string_view>

#include "base/instant.h"
#include "base/result.h"

namespace basalt::text {

// A sign, then one or more numbers (with an optional fraction), each followed by ns, us, µs, ms, s, m or h; or "0".
// Digits below a nanosecond are dropped. Beyond 292 years: an error. Cost: O(text).
[[nodiscard]] Result<Duration> parse_duration(std::string_view text);

// As Go prints it: "1h30m0s", "1.5s", "300ms", "0s". Reads back as the same length.
[[nodiscard]] std::string format_duration(Duration length);

}  // namespace basalt::text
