// The scale subresource: a small object with replicas, over any kind that says where its replicas are.
#pragma once

#include "server/rest/call_context.h"

namespace basalt::server {

// The value at ".spec.replicas", step by step; nullptr when absent. Paths of a scale subresource are plain member names
// (the CRD's rules say so).
[[nodiscard]] const text::Value* replicas_at(const text::Object& object, std::string_view path);

// Requires: context.resource->scale is set.
void call_scale(const ContextPtr& context);

}  // namespace basalt::server
