// Lengths of time as people write them in conf and annotations: "1h30m", "300ms", "1.5s".
#pragma once

#include <string_view>

#include "base/instant.h"
#include "base/result.h"

namespace basalt {

// Go's grammar: an optional sign, then one or more decimal numbers each with a unit (ns us µs ms s m h), or plain "0".
// What is below a nanosecond is dropped; what does not fit 64 bits of nanoseconds is an error. Cost: O(text).
[[nodiscard]] Result<Duration> parse_duration(std::string_view text);

}  // namespace basalt
