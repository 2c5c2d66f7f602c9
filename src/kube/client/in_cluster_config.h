// The connection that a pod has by its service account.
#pragma once

#include <optional>

#include "base/result.h"
#include "kube/client/host_environment.h"
#include "kube/client/rest_config.h"

namespace basalt::client {

inline constexpr std::string_view kServiceAccountDirectory = "/var/run/secrets/kubernetes.io/serviceaccount";

// nullopt: we do not run in a pod, or it has no token.
[[nodiscard]] Result<std::optional<RestConfig>> in_cluster_config(const HostEnvironment& host_environment);

}  // namespace basalt::client
