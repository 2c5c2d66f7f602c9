// Which requests may take so long that others on the same network thread would feel it.
//
// They are done by a WorkerPool; the rest (probes, single reads, creates, updates, bindings and deletes of usual size,
// short lists) is answered where it was read, which costs least. What may take long:
//
//   PATCH                          whatever its size: a few operations can move a large object many times
//   POST, PUT                      a body over kMaxQuickBodyBytes, YAML, or a CustomResourceDefinition
//   DELETE                         of a collection or of a CustomResourceDefinition
//   GET of a collection, watches   of more than kMaxQuickObjects objects: a limit helps only without selectors
//   GET of anything else           documents (discovery, OpenAPI), metrics, a pod's log
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "kube/api/api_resource.h"
#include "kube/net/http.h"
#include "server/http/request_path.h"

namespace basalt::server {

inline constexpr size_t kMaxQuickBodyBytes = size_t{64} * 1024;
inline constexpr size_t kMaxQuickObjects = 500;

// `path`: of the target, if it is one of a resource. `count`: how many objects of one are stored; 0: nobody knows it.
[[nodiscard]] bool may_take_long(const net::HttpRequest& request, const RequestTarget& target,
                                 const std::optional<ResourcePath>& path,
                                 const std::function<size_t(const api::GroupVersionResource&)>& count);

}  // namespace basalt::server
