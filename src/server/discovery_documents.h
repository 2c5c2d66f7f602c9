// Which kinds there are: what GET /, /api, /apis, /apis/<group> and /apis/<group>/<version> answer.
//
// All are pure functions of one ApiResourceTable, so a document changes only when the table does. Clients read them
// once; no request for an object comes by here. Cost: O(rows) each.
#pragma once

#include <optional>
#include <string_view>

#include "kube/api/api_resource.h"
#include "kube/text/json.h"

namespace basalt::server {

// GET /api without the aggregated form: the versions of the core group, and where clients reach us ("127.0.0.1:6443").
[[nodiscard]] text::Value core_versions(std::string_view server_address);

// GET /apis and /apis/<name>: APIGroupList and APIGroup. nullopt: no such group (the core group has no APIGroup).
[[nodiscard]] text::Value group_list(const api::ApiResourceTable& table);
[[nodiscard]] std::optional<text::Value> group(const api::ApiResourceTable& table, std::string_view name);

// GET /api/v1 and /apis/<group>/<version>: APIResourceList, subresources included. nullopt: not served.
[[nodiscard]] std::optional<text::Value> resource_list(const api::ApiResourceTable& table, std::string_view group,
                                                       std::string_view version);

// GET /api (core) and /apis (the rest) with Accept:
// application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList.
[[nodiscard]] text::Value aggregated(const api::ApiResourceTable& table, bool core);

// GET /: {"paths": […]}, sorted.
[[nodiscard]] text::Value paths(const api::ApiResourceTable& table);

}  // namespace basalt::server
