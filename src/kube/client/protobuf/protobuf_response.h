// Answers in Kubernetes' binary form, as bytes, to what the contract (object_client.h) has: the values that the JSON
// form would have given, with apiVersion and kind. Pure; nothing here trusts the bytes. Differences
// between the two forms:
//   1. metadata.managedFields is not there (protobuf_kinds.h).
//   2. A list or map that the server writes as null, being empty, is absent.
//   3. Objects inside of objects (the claim templates of a StatefulSet) have no apiVersion and kind.
//   4. Members stand in the order of their numbers.
#pragma once

#include <string_view>

#include "base/result.h"
#include "kube/api/schema/protobuf_layout.h"
#include "kube/client/object_client.h"

namespace basalt::client {

// Whether a Content-Type is that of the binary form, of one answer or of a watch.
[[nodiscard]] bool is_protobuf(std::string_view content_type);

// One object, or a Status. Cost: O(bytes).
[[nodiscard]] Result<text::Value> decode_protobuf_object(const api::ProtobufMessage& layout, std::string_view bytes);

// A list; `layout` is that of its items.
[[nodiscard]] Result<Reply> decode_protobuf_list(const api::ProtobufMessage& layout, std::string_view bytes);

// One frame of a watch (watch_frame_splitter.h).
[[nodiscard]] Result<WatchEvent> decode_watch_frame(const api::ProtobufMessage& layout, std::string_view frame);

}  // namespace basalt::client
