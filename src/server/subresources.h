// The subresources of a kind as discovery and OpenAPI tell them: what they take, and which verbs they know.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/api/api_resource.h"

namespace basalt::server {

struct Subresource {
  std::string name;
  std::string group, version, kind;  // of the body; group and version are "" when they are those of the resource
  std::vector<std::string_view> verbs;
  std::string schema;  // the type of the body; "": that of the resource
};

// Status, scale and the extra ones, sorted by name. One that is not known here is read-only and of the resource's kind.
[[nodiscard]] std::vector<Subresource> subresources_of(const api::ApiResource& resource);

}  // namespace basalt::server
