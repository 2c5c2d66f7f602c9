// Between an object as a value, as a client of one version sees it, and as the store keeps it.
//
// Most kinds are shown as they are stored. Two are not: events.k8s.io/v1 Events are stored as core Events (same
// objects, other field names), and a CRD with several versions is stored in one of them.
#pragma once

#include <string>

#include "kube/api/api_resource.h"
#include "kube/text/json.h"
#include "server/rest/api_response.h"
#include "server/store/record.h"

namespace basalt::server {

// True when a client of this resource may be shown the stored bytes.
[[nodiscard]] bool shown_as_stored(const api::ApiResource& resource);

// The stored object as this resource shows it. Cost: none but a parse when shown_as_stored.
[[nodiscard]] ObjectPtr shown(const api::ApiResource& resource, const store::Record& record);

// The same as a value of the caller's own, to be changed.
[[nodiscard]] text::Value shown_copy(const api::ApiResource& resource, const store::Record& record);

// The bytes of an object for the store: without resourceVersion, whose place is `version_at`.
struct EncodedObject {
  std::string bytes;
  uint32_t version_at = 0;
};
[[nodiscard]] EncodedObject encode_for_store(const api::ApiResource& resource, const text::Object& object);

}  // namespace basalt::server
