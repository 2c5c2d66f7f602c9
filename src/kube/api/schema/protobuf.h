// Objects in Kubernetes' binary form, as clients and servers send those of built-in kinds: four magic bytes, an
// envelope that names the kind, and the object as a protobuf message (protobuf_layout.h).
//
// Only reading; kube/client/protobuf/protobuf_request_body.h writes. The result is what the sender's JSON would have
// been: values that are empty and left out there (WhenEmpty::Omit) are left out, Go's zero time is null. What a client
// sent still has to be normalized as a JSON body has (quantities, fields that are always written). Fields with unknown
// numbers are skipped, as protobuf readers do. Strings must be UTF-8. Nesting is bounded by kMaxProtobufDepth. Cost:
// O(bytes).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/api/schema/protobuf_layout.h"
#include "kube/text/json.h"

namespace basalt::api {

inline constexpr std::string_view kProtobufMediaType = "application/vnd.kubernetes.protobuf";
inline constexpr std::string_view kProtobufMagic("k8s\0", 4);  // the first bytes of every body
inline constexpr size_t kMaxProtobufDepth = 100;

struct ProtobufEnvelope {
  std::string api_version, kind;  // "": not said
  std::string_view message;       // into the bytes given
};

[[nodiscard]] Result<ProtobufEnvelope> open_envelope(std::string_view bytes);

// The message as an object, without apiVersion and kind.
[[nodiscard]] Result<text::Value> decode_protobuf(const ProtobufMessage& layout, std::string_view message);
// The same behind what `object` has already. After an error it is half read.
[[nodiscard]] Result<void> decode_protobuf_into(const ProtobufMessage& layout, std::string_view message,
                                                text::Object& object);

}  // namespace basalt::api
