// The flags of the programs, as tables: Volcano's, ours, and klog's. What several programs have is written once.
#pragma once

#include <span>

#include "programs/daemon/daemon_flags.h"

namespace basalt::daemon {

[[nodiscard]] std::span<const DaemonFlag> scheduler_flags();
[[nodiscard]] std::span<const DaemonFlag> controllers_flags();
[[nodiscard]] std::span<const DaemonFlag> webhook_flags();
[[nodiscard]] std::span<const DaemonFlag> nodes_flags();
[[nodiscard]] std::span<const DaemonFlag> crds_flags();

}  // namespace basalt::daemon
