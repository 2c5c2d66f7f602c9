// Objects in Kubernetes' binary form, as clients of built-in kinds send them: four magic bytes, an envelope that names
// the kind, and the object as a protobuf message (protobuf_layout.h).
//
// Only reading: answers are JSON, which every client accepts. The result is what the client's JSON would have been:
// values that are empty and left out there (WhenEmpty::Omit) are left out, Go's zero time is null. It still has to be
// normalized as a JSON body has (quantities, fields that are always written). Fields with unknown numbers are skipped,
// as protobuf readers do. Strings must be UTF-8. Nesting is bounded by kMaxProtobufDepth. Cost: O(bytes).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/schema/protobuf_layout.h"
#include "base/result.h"
#include "text/json.h"

namespace basalt::api {

inline constexpr std::string_view kProtobufMediaType = "application/vnd.kubernetes.protobuf";
inline constexpr size_t kMaxProtobufDepth = 100;

struct ProtobufEnvelope {
  std::string api_version, kind;  // "": not said
  std::string_view message;       // into the bytes given
};

[[nodiscard]] Result<ProtobufEnvelope> open_envelope(std::string_view bytes);

// The message as an object, without apiVersion and kind.
[[nodiscard]] Result<text::Value> decode_protobuf(const ProtobufMessage& layout, std::string_view message);

}  // namespace basalt::api
