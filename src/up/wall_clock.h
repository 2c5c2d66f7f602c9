// The clock of a standalone cluster.
#pragma once

#include <chrono>

#include "base/instant.h"

namespace basalt::up {

inline Instant wall_clock() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(since).count()};
}

}  // namespace basalt::up
