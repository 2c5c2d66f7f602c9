// What GET /openapi/v3 answers: an index of group versions and, for each, a document of its kinds and operations.
//
// kubectl reads these documents to learn which fields a kind has (explain), and that the server itself validates fields
// and understands dry runs (apply, create, diff). A document holds every type that its kinds reach.
//
// Cost: a document walks all schemas of its group, milliseconds for the core group; the server keeps what it made per
// ApiResourceTable. The hash in the index depends on the document's text alone, so clients may cache by it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kube/api/api_resource.h"
#include "kube/text/json.h"

namespace basalt::server {

// {"paths":{"api/v1":{"serverRelativeURL":"/openapi/v3/api/v1?hash=…"},…}}. Cost: makes every document.
[[nodiscard]] text::Value openapi_index(const api::ApiResourceTable& table);

// `path`: "api/v1", "apis/batch.volcano.sh/v1alpha1". nullopt: nothing is served there.
[[nodiscard]] std::optional<text::Value> openapi_document(const api::ApiResourceTable& table, std::string_view path);

// GET /openapi/v2. kubectl reads it only when a manifest is a `kind: List`, to check its items before it sends them; a
// document without definitions makes it leave that to the server. It asks for the protobuf form only, to be answered
// with kOpenApiV2Protobuf as content type.
inline constexpr std::string_view kOpenApiV2Protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
[[nodiscard]] text::Value openapi_v2();
[[nodiscard]] std::string openapi_v2_protobuf();

}  // namespace basalt::server
