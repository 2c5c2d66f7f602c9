// The connection that a pod has by its service account.
#pragma once

#include <optional>

#include "base/result.h"
#include "kube/client/connection.h"
#include "kube/client/surroundings.h"

namespace basalt::client {

inline constexpr std::string_view kServiceAccountDirectory = "/var/run/secrets/kubernetes.io/serviceaccount";

// nullopt: we do not run in a pod, or it has no token.
[[nodiscard]] Result<std::optional<Connection>> in_cluster_connection(const Surroundings& surroundings);

}  // namespace basalt::client
