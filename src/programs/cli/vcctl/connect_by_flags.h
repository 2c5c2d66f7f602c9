// From the flags of a command to the server that they name, by kubectl's rules (see kube/client/kubeconfig_loader.h).
#pragma once

#include <memory>

#include "base/result.h"
#include "kube/client/object_client.h"
#include "programs/cli/flag_table.h"

namespace basalt::cli::vcctl {

// By --master, --kubeconfig, --context, --cluster and --user. Opens no connection yet.
[[nodiscard]] Result<std::unique_ptr<client::ObjectClient>> connect_by_flags(const FlagValues& flags);

}  // namespace basalt::cli::vcctl
