// Lengths of time as Go writes them: "1h30m", "300ms", "-1.5s", "0".
#pragma once

#include <string>
#include <string_view>

#include "base/instant.h"
#include "base/result.h"

namespace basalt::text {

// As base/duration.h reads it, with an error for people who write manifests: the text is quoted and cut.
[[nodiscard]] Result<Duration> parse_duration(std::string_view text);

// As Go prints it: "1h30m0s", "1.5s", "300ms", "0s". Reads back as the same length.
[[nodiscard]] std::string format_duration(Duration length);

}  // namespace basalt::text
