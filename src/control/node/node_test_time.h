// When the tests of this folder take place.
#pragma once

#include "base/instant.h"

namespace basalt::node {

inline constexpr Instant kNow = Instant::from_unix_seconds(1'700'000'000);  // 2023-11-14T22:13:20Z

}  // namespace basalt::node
