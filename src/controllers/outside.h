// What plans use of the real world: random keys and the system's time zones.
#pragma once

#include "controllers/controller.h"

namespace basalt::controllers {

// Time zones are read once and kept (kMaxZones); a name that is not there is looked for again each time, because zone
// data may be installed later. Used by one loop at a time.
inline constexpr size_t kMaxZones = 1'000;

[[nodiscard]] Outside real_outside();

}  // namespace basalt::controllers
