// Requests that are refused for their path and method alone, before anything of them is read.
//
// Paths of custom kinds are read in a way of their own: where a built-in kind has no route, the one handler of custom
// kinds still answers, from the parts of the path that it looks at.
#pragma once

#include <optional>
#include <string_view>

#include "kube/api/call.h"

namespace basalt::server {

// What is wrong with a request to a custom kind before anything of it is read; nullopt: nothing. A POST to an object
// counts as one to its collection: `call` loses the name. Requires: resource.custom.
[[nodiscard]] std::optional<api::ApiError> refuse_custom_route(std::string_view method,
                                                               const api::ApiResource& resource, api::Call& call);

// The same for a subresource of a built-in kind: it does not exist, or does not know the method.
[[nodiscard]] std::optional<api::ApiError> refuse_subresource_method(std::string_view method,
                                                                     const api::ApiResource& resource,
                                                                     const api::Call& call);

}  // namespace basalt::server
