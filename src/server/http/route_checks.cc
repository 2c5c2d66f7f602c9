#include "server/http/route_checks.h"

#include <algorithm>

namespace basalt::server {
namespace {

bool reads(std::string_view method) { return method == "GET" || method == "HEAD"; }

bool has_part(const api::ApiResource& resource, const std::string& part) {
  return (part == "status" && resource.has_status) || (part == "scale" && resource.scale.has_value());
}

bool has_method(std::string_view method, const std::string& part) {
  if (reads(method) || method == "PUT" || method == "PATCH") return true;
  return part.empty() && (method == "POST" || method == "DELETE");
}

}  // namespace

std::optional<api::ApiError> refuse_custom_route(std::string_view method, const api::ApiResource& resource,
                                                 api::Call& call) {
  const bool everywhere = reads(method) && call.name.empty();
  const bool in_namespace = !call.namespace_name.empty();
  if (in_namespace ? !resource.namespaced : resource.namespaced && !everywhere) return api::no_such_path();
  if (!call.subresource.empty() && !has_part(resource, call.subresource)) {
    return api::not_found(resource.group, resource.plural, call.name);
  }
  if (!has_method(method, call.subresource)) {
    api::ApiError error = api::method_not_allowed(method);
    error.subject = {.group = resource.group, .kind_or_plural = resource.plural, .name = ""};
    return error;
  }
  if (method == "POST") call.name.clear();
  if ((method == "PUT" || method == "PATCH") && call.name.empty()) return api::bad_request("name must be provided");
  return std::nullopt;
}

std::optional<api::ApiError> refuse_subresource_method(std::string_view method, const api::ApiResource& resource,
                                                       const api::Call& call) {
  const std::string& part = call.subresource;
  if (part.empty()) return std::nullopt;
  const auto& extra = resource.extra_subresources;
  if (!has_part(resource, part) && std::ranges::find(extra, part) == extra.end()) return api::no_such_path();
  const bool posted = part == "binding" || part == "eviction";
  const bool entered = part == "exec";
  const bool read = !posted && part != "finalize";
  const bool written = !posted && !entered && part != "log";
  const bool known = (method == "POST" && (posted || entered)) || (reads(method) && read) ||
                     (method == "PUT" && written) || (method == "PATCH" && written && part != "finalize");
  if (known) return std::nullopt;
  return api::method_not_allowed(method);
}

}  // namespace basalt::server
