#include "server/http/slow_requests.h"

#include <algorithm>
#include <charconv>

#include "server/http/media_types.h"

namespace basalt::server {
namespace {

// The most objects that an answer can have to look at.
size_t objects_asked_for(const RequestTarget& target, size_t stored) {
  const bool selects = target.has("labelSelector") || target.has("fieldSelector");
  const bool watches = target.has("watch");
  const std::string_view text = target.option("limit");
  size_t limit = 0;
  std::from_chars(text.data(), text.data() + text.size(), limit);
  return limit > 0 && !selects && !watches ? std::min(limit, stored) : stored;
}

}  // namespace

bool may_take_long(const net::HttpRequest& request, const RequestTarget& target,
                   const std::optional<ResourcePath>& path,
                   const std::function<size_t(const api::GroupVersionResource&)>& count) {
  if (request.method == "PATCH") return true;
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (!path) return reads;
  const api::Call& call = path->call;
  if (reads) {
    if (call.subresource == "log") return true;
    return call.name.empty() && objects_asked_for(target, count(call.resource)) > kMaxQuickObjects;
  }
  if (call.resource.group == "apiextensions.k8s.io") return true;
  if (request.method == "DELETE") return call.name.empty();
  return request.body.size() > kMaxQuickBodyBytes || media_type(request.headers.get("Content-Type")).ends_with("yaml");
}

}  // namespace basalt::server
