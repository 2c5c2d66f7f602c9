// Subresources: status, scale, the pod's binding and eviction, the namespace's finalize.
#pragma once

#include "server/rest/call_context.h"

namespace basalt::server {

// Answers the call when its subresource is one with a life of its own, or unknown. False: it is `status`, which the
// ordinary verbs know how to handle.
[[nodiscard]] bool call_subresource(const ContextPtr& context);

}  // namespace basalt::server
