// A request as a lean client makes it: in Kubernetes' binary form where call and server may have it.
#pragma once

#include <optional>
#include <string>

#include "kube/api/call.h"
#include "kube/client/call_request.h"

namespace basalt::client {

// What the answer may be: the binary form of the kinds that have one here, with JSON as second best (a server of ours
// answers so), and JSON of all others.
[[nodiscard]] std::string protobuf_accept(const api::Call& call);

// The body in the binary form; nullopt: it goes out as JSON. Cost: O(body).
[[nodiscard]] std::optional<EncodedBody> protobuf_body_of(const api::Call& call);

}  // namespace basalt::client
