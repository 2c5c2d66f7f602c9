#include "server/http/media_types.h"

#include <algorithm>
#include <cctype>

#include "base/ascii.h"
#include "kube/text/yaml.h"

namespace basalt::server {
namespace {

constexpr std::string_view kBodies = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

// Splits off what stands before `separator`.
std::string_view cut(std::string_view& text, char separator) {
  const std::string_view head = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(text.size(), head.size() + 1));
  return trimmed(head, kLineBlanks);
}

std::optional<ResponseForm> offer(std::string_view text) {
  const std::string_view type = cut(text, ';');
  const bool json = type == "application/json" || type == "*/*" || type == "application/*";
  if (type == "application/yaml" && text.empty()) return ResponseForm::Yaml;
  if (!json) return std::nullopt;
  std::string_view as, group, version;
  while (!text.empty()) {
    std::string_view parameter = cut(text, ';');
    const std::string_view name = cut(parameter, '=');
    if (name == "as") as = parameter;
    if (name == "g") group = parameter;
    if (name == "v") version = parameter;
  }
  if (as.empty()) return ResponseForm::Plain;
  const bool meta = group == "meta.k8s.io" && version == "v1";
  if (as == "Table" && meta) return ResponseForm::Table;
  if ((as == "PartialObjectMetadata" || as == "PartialObjectMetadataList") && meta)
    return ResponseForm::PartialMetadata;
  if (as == "APIGroupDiscoveryList" && group == "apidiscovery.k8s.io" && version == "v2") {
    return ResponseForm::AggregatedDiscovery;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ResponseForm> negotiate(std::string_view accept) {
  if (trimmed(accept, kLineBlanks).empty()) return ResponseForm::Plain;
  while (!accept.empty()) {
    if (const auto form = offer(cut(accept, ',')); form) return form;
  }
  return std::nullopt;
}

bool names_media_type(std::string_view accept) {
  if (trimmed(accept, kLineBlanks).empty()) return true;
  while (!accept.empty()) {
    std::string_view one = cut(accept, ',');
    const std::string_view type = cut(one, ';');
    if (type == "*/*" || type == "application/json" || type == "application/yaml" ||
        type == "application/vnd.kubernetes.protobuf") {
      return true;
    }
  }
  return false;
}

std::string media_type(std::string_view content_type) {
  std::string type(cut(content_type, ';'));
  std::ranges::transform(type, type.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return type;
}

std::optional<api::PatchType> patch_type(std::string_view content_type) {
  const std::string type = media_type(content_type);
  if (type == "application/json-patch+json") return api::PatchType::Json;
  if (type == "application/merge-patch+json") return api::PatchType::Merge;
  if (type == "application/strategic-merge-patch+json") return api::PatchType::Strategic;
  if (type == "application/apply-patch+yaml") return api::PatchType::Apply;
  return std::nullopt;
}

bool is_body_type(std::string_view content_type) {
  const std::string type = media_type(content_type);
  return type.empty() || type == "application/json" || type == "*/*" || type == "application/yaml";
}

api::ApiError unknown_body_type() { return api::unsupported_media_type(kBodies); }

api::ApiResult<text::Value> parse_body(std::string_view body, std::string_view content_type) {
  const std::string type = media_type(content_type);
  const bool yaml = type == "application/yaml" || type == "application/apply-patch+yaml";
  const bool json = type.empty() || type == "application/json" || type == "*/*" || type.ends_with("patch+json");
  if (!yaml && !json) return std::unexpected(unknown_body_type());
  // YAML is a superset of JSON; what starts like JSON is read by the faster and stricter parser.
  const size_t first = body.find_first_not_of(" \t\r\n");
  const bool looks_like_json = first != std::string_view::npos && (body[first] == '{' || body[first] == '[');
  const auto unreadable = [](const Error& error) {
    return std::unexpected(api::bad_request("the body cannot be read: " + error.message));
  };
  if (yaml && !looks_like_json) {
    auto document = text::parse_yaml(body);
    if (!document) return unreadable(document.error());
    return std::move(document->value);
  }
  auto value = text::parse_json(body);
  if (!value) return unreadable(value.error());
  return std::move(*value);
}

}  // namespace basalt::server
