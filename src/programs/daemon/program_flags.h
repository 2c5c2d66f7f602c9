// The flags of the programs, as tables: Volcano's, ours, and klog's. What several programs have is written once.
#pragma once

#include <span>

#include "programs/daemon/flags.h"

namespace basalt::daemon {

[[nodiscard]] std::span<const Flag> scheduler_flags();
[[nodiscard]] std::span<const Flag> controllers_flags();
[[nodiscard]] std::span<const Flag> webhook_flags();
[[nodiscard]] std::span<const Flag> nodes_flags();
[[nodiscard]] std::span<const Flag> crds_flags();

}  // namespace basalt::daemon
