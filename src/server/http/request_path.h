// What a URL asks for: a resource, one of its objects, a subresource; and the query's options.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/api/call.h"

namespace basalt::server {

inline constexpr size_t kMaxPathSegments = 16;

using Query = std::vector<std::pair<std::string, std::string>>;  // in order; a name may repeat

// "/apis/apps/v1/deployments?limit=5" → segments and query, percent-decoded. nullopt: not a valid target (bad escapes,
// no UTF-8, too many segments).
struct RequestTarget {
  std::vector<std::string> segments;
  Query query;
  [[nodiscard]] std::string_view option(std::string_view name) const;  // the first; "": absent
  [[nodiscard]] bool has(std::string_view name) const;
  // As Kubernetes reads it: "0" and "false" in any case are no, any other text, also none ("?watch"), is yes.
  [[nodiscard]] bool truth(std::string_view name, bool absent = false) const;
};
[[nodiscard]] std::optional<RequestTarget> parse_target(std::string_view target);

// Group, version, plural, namespace, name and subresource of a path below /api or /apis; nullopt when the path is not
// one of a resource (discovery paths are shorter). The verb is left to the caller.
struct ResourcePath {
  api::Call call;
  bool longer = false;  // more segments follow; only custom kinds permit it
};
[[nodiscard]] std::optional<ResourcePath> parse_resource_path(const std::vector<std::string>& segments);

// Reads the options that the verb knows into the call; 400 or 422 for values that cannot be read.
[[nodiscard]] api::ApiResult<void> read_options(const RequestTarget& target, api::Call& call);

}  // namespace basalt::server
