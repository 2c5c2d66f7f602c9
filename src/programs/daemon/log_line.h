// One event as one line. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/instant.h"
#include "programs/daemon/async_log.h"

namespace basalt::daemon {

// With its line end; at most kMaxLineBytes of `message` and a little more. Cost: O(message), within that bound.
[[nodiscard]] std::string log_line(LogFormat format, Instant at, Severity severity, std::string_view component,
                                   std::string_view message);

}  // namespace basalt::daemon
