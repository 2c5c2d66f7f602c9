// Bodies in Kubernetes' binary form (kube/api/schema/protobuf.h), as typed clients send objects of built-in kinds.
#pragma once

#include <string_view>

#include "kube/api/api_resource.h"
#include "kube/api/call.h"

namespace basalt::server {

[[nodiscard]] bool is_protobuf(std::string_view content_type);

// The body as the value that its JSON form would have given, with apiVersion and kind from the envelope. What kind it
// is, the envelope says; when it does not, it is the one that the call takes: the resource's own, that of its
// subresource, or DeleteOptions. Whether it is the right one is checked later, as for JSON. 400: the bytes are broken,
// nobody knows the kind, or it is one of a CRD, which has no binary form.
[[nodiscard]] api::ApiResult<text::Value> parse_protobuf_body(std::string_view body, const api::Call& call,
                                                              const api::ApiResource& resource,
                                                              const api::ApiResourceTable& kinds);

}  // namespace basalt::server
