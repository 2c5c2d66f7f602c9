// What plans use of the real world: random keys and the system's time zones.
#pragma once

#include "control/volcano/controller.h"

namespace basalt::volcano {

// Time zones are read once and kept (kMaxZones); a name that is not there is looked for again each time, because zone
// data may be installed later. Used by one loop at a time.
inline constexpr size_t kMaxZones = 1'000;

[[nodiscard]] Outside real_outside();

}  // namespace basalt::volcano
