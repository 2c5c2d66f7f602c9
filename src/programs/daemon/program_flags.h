// The flags of the programs, as tables: Volcano's, ours, and klog's. What several programs have is written once.
#pragma once

#include <span>

#include "programs/cli/flag_table.h"

namespace basalt::daemon {

[[nodiscard]] std::span<const cli::Flag> scheduler_flags();
[[nodiscard]] std::span<const cli::Flag> controllers_flags();
[[nodiscard]] std::span<const cli::Flag> webhook_flags();
[[nodiscard]] std::span<const cli::Flag> nodes_flags();
[[nodiscard]] std::span<const cli::Flag> crds_flags();

}  // namespace basalt::daemon
