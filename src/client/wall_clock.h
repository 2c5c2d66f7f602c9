// The machine's clock, for shells. What decides gets the time as an argument.
#pragma once

#include <chrono>

#include "base/instant.h"

namespace basalt::client {

inline Instant wall_clock() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(since).count()};
}

}  // namespace basalt::client
