// From the flags of a command to the server that they name, by kubectl's rules (see client/kubeconfig.h).
#pragma once

#include <memory>

#include "base/result.h"
#include "cli/vcctl/flags.h"
#include "client/object_client.h"

namespace basalt::cli::vcctl {

// By --master, --kubeconfig, --context, --cluster and --user. Opens no connection yet.
[[nodiscard]] Result<std::unique_ptr<client::ObjectClient>> connect_by_flags(const Flags& flags);

}  // namespace basalt::cli::vcctl
