// The time of day, for programs and loops. Code that decides gets the time as an argument.
#pragma once

#include "base/instant.h"

namespace basalt::client {

// Never goes back within a process (monotonic_wall_clock.h). Threads: any. Cost: two system clocks and an uncontended
// lock.
Instant wall_clock();

}  // namespace basalt::client
