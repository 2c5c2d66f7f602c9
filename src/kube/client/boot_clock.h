// A clock for intervals (CLOCK_BOOTTIME): it goes on while the machine sleeps, and never jumps. Its zero means nothing.
#pragma once

#include <ctime>

#include "base/instant.h"

namespace basalt::client {

inline Instant boot_clock() {
  timespec at{};
  ::clock_gettime(CLOCK_BOOTTIME, &at);
  return Instant::from_unix_seconds(at.tv_sec) + Duration{at.tv_nsec};
}

}  // namespace basalt::client
