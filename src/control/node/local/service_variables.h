// The variables by which a container finds services without names: {NAME}_SERVICE_HOST and its kin.
#pragma once

#include <span>

#include "control/node/local/variable_expansion.h"
#include "kube/text/json.h"

namespace basalt::node {

// Of services of `ns` that have a cluster IP, unless `links` is false, and of default/kubernetes always.
// `api_address`, `api_port`: where default/kubernetes really is; "": at its cluster IP. Cost: O(services).
[[nodiscard]] Variables service_variables(std::span<const text::Object* const> services, std::string_view ns,
                                          bool links, std::string_view api_address, std::string_view api_port);

}  // namespace basalt::node
