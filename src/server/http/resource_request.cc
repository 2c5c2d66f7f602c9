#include "server/http/resource_request.h"

#include <optional>

#include "kube/api/verbs.h"
#include "kube/text/go_duration.h"
#include "server/http/media_types.h"
#include "server/http/protobuf_body.h"
#include "server/rest/access_reviews.h"

namespace basalt::server {
namespace {

constexpr size_t kMaxManagerLength = 128;

// The program that a user agent names: "kubectl/v1.36 (linux…)" → "kubectl".
std::string manager_of(std::string_view agent) {
  std::string manager(agent.substr(0, agent.find('/')));
  if (manager.size() > kMaxManagerLength) manager.resize(kMaxManagerLength);
  for (char& c : manager) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F) c = '?';
  }
  return manager;
}

std::optional<api::Verb> verb_of(std::string_view method, const api::Call& call, const RequestTarget& target) {
  const bool collection = call.name.empty();
  if (method == "GET" || method == "HEAD") {
    if (target.truth("watch") && call.subresource.empty()) return api::Verb::Watch;
    return collection ? api::Verb::List : api::Verb::Get;
  }
  if (method == "POST")
    return collection || !call.subresource.empty() ? std::optional(api::Verb::Create) : std::nullopt;
  if (method == "PUT") return collection ? std::nullopt : std::optional(api::Verb::Update);
  if (method == "PATCH") return collection ? std::nullopt : std::optional(api::Verb::Patch);
  if (method == "DELETE") return collection ? api::Verb::DeleteCollection : api::Verb::Delete;
  return std::nullopt;
}

api::ApiError unknown_patch_type(bool custom) {
  api::ApiError error = api::unsupported_media_type(
      "application/json-patch+json, application/merge-patch+json, "
      "application/strategic-merge-patch+json, application/apply-patch+yaml");
  error.empty_details = !custom;
  return error;
}

void drop_delete_options(RequestTarget& target) {
  std::erase_if(target.query, [](const auto& option) {
    return option.first == "gracePeriodSeconds" || option.first == "propagationPolicy" ||
           option.first == "orphanDependents" || option.first == "dryRun";
  });
}

// Reads the body, when the verb has one, into the call.
api::ApiResult<void> read_body(const net::HttpRequest& request, const api::ApiResource& resource,
                               const api::ApiResourceTable& kinds, api::Call& call) {
  const std::string_view type = request.headers.get("Content-Type");
  const bool removal = call.verb == api::Verb::Delete || call.verb == api::Verb::DeleteCollection;
  if (call.verb == api::Verb::Get || call.verb == api::Verb::List || call.verb == api::Verb::Watch) return {};
  if (removal && request.body.empty()) return {};
  const bool binary = call.verb != api::Verb::Patch && is_protobuf(type);
  if (call.verb != api::Verb::Patch && !binary && !is_body_type(type)) return std::unexpected(unknown_body_type());
  auto body = binary ? parse_protobuf_body(request.body, call, resource, kinds) : parse_body(request.body, type);
  if (!body && call.verb == api::Verb::Patch && call.patch != api::PatchType::Apply && body.error().code == 400) {
    call.unreadable = body.error().message;
    return {};
  }
  if (!body) return std::unexpected(std::move(body.error()));
  call.body = std::move(*body);
  return {};
}

// What kind of patch it is: 415 for those that the kind does not take.
api::ApiResult<void> read_patch_type(std::string_view content_type, const api::ApiResource& resource, api::Call& call) {
  const auto patch = patch_type(content_type);
  if (!patch) return std::unexpected(unknown_patch_type(resource.custom));
  call.patch = *patch;
  if (resource.custom && *patch == api::PatchType::Strategic) {
    return std::unexpected(api::unsupported_media_type(
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"));
  }
  return {};
}

}  // namespace

api::ApiResult<void> read_call(const net::HttpRequest& request, RequestTarget& target, const api::ApiResource& resource,
                               const api::ApiResourceTable& kinds, api::Call& call) {
  const auto verb = verb_of(request.method, call, target);
  if (!verb) return std::unexpected(api::method_not_allowed(request.method));
  call.verb = *verb;
  const std::string_view type = request.headers.get("Content-Type");
  if (*verb == api::Verb::Patch) {
    if (auto read = read_patch_type(type, resource, call); !read) return read;
  }
  // A body of DeleteOptions speaks for itself; the query counts only without one.
  const bool removal = *verb == api::Verb::Delete || *verb == api::Verb::DeleteCollection;
  if (removal && !request.body.empty()) drop_delete_options(target);
  if (*verb == api::Verb::Create && !is_body_type(type) && !is_protobuf(type)) {
    return std::unexpected(unknown_body_type());
  }
  if (auto read = read_options(target, call); !read) return read;
  if (auto read = read_body(request, resource, kinds, call); !read) return read;
  if (call.field_manager.empty() && call.patch != api::PatchType::Apply) {
    call.field_manager = manager_of(request.headers.get("User-Agent"));
  }
  return {};
}

api::ApiResult<void> check_timeout(const RequestTarget& target) {
  const std::string_view text = target.option("timeout");
  if (text.empty() || text::parse_duration(text)) return {};
  return std::unexpected(api::bad_request("invalid timeout specified in the request URL: give one such as 30s"));
}

bool may_grow(const api::Call& call, const api::ApiResource& resource) {
  if (!api::is_write(call.verb) || call.verb == api::Verb::Delete || call.verb == api::Verb::DeleteCollection)
    return false;
  return call.subresource != "binding" && call.subresource != "eviction" && !is_review(resource);
}

}  // namespace basalt::server
