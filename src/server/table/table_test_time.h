// When the tests of this folder look at objects.
#pragma once

#include "base/instant.h"

namespace basalt::server {

inline constexpr Instant kNow = Instant::from_unix_seconds(1'777'636'800);  // 2026-05-01T12:00:00Z

}  // namespace basalt::server
