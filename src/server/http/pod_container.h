// Which container of a pod a request about one means.
#pragma once

#include <string>
#include <string_view>

#include "kube/api/api_error.h"
#include "kube/text/json.h"

namespace basalt::server {

// `wanted`, or without one the only container, or the one that the annotation kubectl.kubernetes.io/default-container
// names. 400: there is no such container, or the choice is open; the message then lists the containers.
[[nodiscard]] api::ApiResult<std::string> choose_container(const text::Object& object, std::string_view wanted);

}  // namespace basalt::server
