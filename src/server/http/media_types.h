// Content types: how a body is read, and which form of an answer the client wants.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kube/api/call.h"

namespace basalt::server {

enum class ResponseForm : uint8_t { Plain, Yaml, Table, PartialMetadata, AggregatedDiscovery };

// The first offer of an Accept header that we can serve ("" accepts JSON); nullopt: none (406).
[[nodiscard]] std::optional<ResponseForm> negotiate(std::string_view accept);

// Whether Accept names one of our media types, or any (two stars); "application/" with a star does not count.
[[nodiscard]] bool names_media_type(std::string_view accept);

// "application/json; charset=utf-8" → "application/json".
[[nodiscard]] std::string media_type(std::string_view content_type);
[[nodiscard]] std::optional<api::PatchType> patch_type(std::string_view content_type);

// Whether parse_body knows the type.
[[nodiscard]] bool is_body_type(std::string_view content_type);
[[nodiscard]] api::ApiError unknown_body_type();  // 415

// The body as a value: JSON, or YAML where the content type says so. 415 for other types, 400 for what does not parse.
// (protobuf_body.h reads the binary form: it must know the kinds.)
[[nodiscard]] api::ApiResult<text::Value> parse_body(std::string_view body, std::string_view content_type);

}  // namespace basalt::server
