// Objects of ours in Kubernetes' binary form, as bodies of requests: what kube/api/schema/protobuf.h reads, written.
//
// Only what the form can say exactly is written. Everything else (a field that the layout does not know, a value of
// another type than the field's, a time that is none) has no binary form: such a body goes out as JSON, and the server
// words what is wrong with it. Nulls, empty lists and empty maps are left out, as typed clients leave them out.
#pragma once

#include <optional>
#include <string>

#include "kube/api/schema/protobuf_layout.h"
#include "kube/text/json.h"

namespace basalt::client {

// The message alone, without apiVersion and kind. Nesting is bounded by api::kMaxProtobufDepth. Cost: O(object).
[[nodiscard]] std::optional<std::string> protobuf_message(const api::ProtobufMessage& layout,
                                                          const text::Object& object);

// The message in its envelope, which takes apiVersion and kind of `object`.
[[nodiscard]] std::optional<std::string> protobuf_request_body(const api::ProtobufMessage& layout,
                                                               const text::Value& object);

}  // namespace basalt::client
