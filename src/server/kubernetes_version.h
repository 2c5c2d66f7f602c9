// GET /version: the Kubernetes whose API we serve, with our own name in the build part of the version.
#pragma once

#include <string_view>

#include "kube/text/json.h"

namespace basalt::server {

inline constexpr std::string_view kKubernetesVersion = "v1.36.1+basalt";

// The version.Info object.
[[nodiscard]] text::Value version_info();

}  // namespace basalt::server
