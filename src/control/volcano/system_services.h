// What plans use of the system: random keys and the system's time zones.
#pragma once

#include "control/volcano/volcano_controller.h"

namespace basalt::volcano {

// Time zones are read once and kept (kMaxZones); a name that is not there is looked for again each time, because zone
// data may be installed later. Used by one loop at a time.
inline constexpr size_t kMaxZones = 1'000;

[[nodiscard]] SystemServices make_system_services();

}  // namespace basalt::volcano
