#include "server/http/document_cache.h"

#include <vector>

#include "kube/text/json.h"
#include "server/discovery_documents.h"
#include "server/openapi_documents.h"

namespace basalt::server {
namespace {

std::vector<std::string> split(const std::string& path) {
  std::vector<std::string> parts(1);
  for (const char c : path) {
    if (c == '/') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::optional<text::Value> make(const api::ApiResourceTable& kinds, const std::string& path, bool aggregated_form) {
  const std::vector<std::string> parts = split(path);
  if (path.empty()) return paths(kinds);
  if (path == "api") return aggregated_form ? aggregated(kinds, true) : core_versions("");
  if (path == "apis") return aggregated_form ? aggregated(kinds, false) : group_list(kinds);
  if (parts[0] == "api" && parts.size() == 2) return resource_list(kinds, "", parts[1]);
  if (parts[0] == "apis" && parts.size() == 2) return group(kinds, parts[1]);
  if (parts[0] == "apis" && parts.size() == 3) return resource_list(kinds, parts[1], parts[2]);
  if (path == "openapi/v3") return openapi_index(kinds);
  constexpr std::string_view kOpenApi = "openapi/v3/";
  if (path.starts_with(kOpenApi)) return openapi_document(kinds, std::string_view(path).substr(kOpenApi.size()));
  return std::nullopt;
}

}  // namespace

std::optional<std::string> DocumentCache::find(const std::shared_ptr<const api::ApiResourceTable>& kinds,
                                               const std::string& path, bool aggregated_form) {
  const std::string key = (aggregated_form ? "+" : "") + path;
  {
    const std::lock_guard lock(mutex_);
    if (kinds_ != kinds) {
      kinds_ = kinds;
      bodies_.clear();
    }
    if (const auto found = bodies_.find(key); found != bodies_.end()) return found->second;
  }
  const auto document = make(*kinds, path, aggregated_form);
  if (!document) return std::nullopt;
  std::string body = text::to_json(*document) + "\n";
  const std::lock_guard lock(mutex_);
  if (kinds_ == kinds) bodies_[key] = body;
  return body;
}

}  // namespace basalt::server
