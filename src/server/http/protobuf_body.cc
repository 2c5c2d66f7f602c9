#include "server/http/protobuf_body.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "kube/api/schema/protobuf.h"
#include "server/http/media_types.h"
#include "server/subresources.h"

namespace basalt::server {
namespace {

constexpr std::string_view kDeleteOptions = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";

// The kind of body that a call takes. An empty type: one without a binary form.
struct Expected {
  std::string api_version, kind, type;
};

Expected of_resource(const api::ApiResource& resource) {
  return {.api_version = resource.api_version(),
          .kind = resource.kind,
          .type = resource.custom ? std::string() : resource.schema->name};
}

// nullopt: nothing is served there, so any body will do.
std::optional<Expected> expected_by(const api::Call& call, const api::ApiResource& resource) {
  if (call.verb == api::Verb::Delete || call.verb == api::Verb::DeleteCollection) {
    return Expected{.api_version = "v1", .kind = "DeleteOptions", .type = std::string(kDeleteOptions)};
  }
  if (call.subresource.empty()) return of_resource(resource);
  const auto known = subresources_of(resource);
  const auto at = std::ranges::find(known, call.subresource, &Subresource::name);
  if (at == known.end()) return std::nullopt;
  if (at->schema.empty()) return of_resource(resource);
  if (at->version.empty()) return Expected{resource.api_version(), at->kind, at->schema};
  return Expected{at->group.empty() ? at->version : at->group + "/" + at->version, at->kind, at->schema};
}

// The type in which the message of an envelope is written; "": there is none.
std::string type_of(const api::ProtobufEnvelope& envelope, const Expected& expected,
                    const api::ApiResourceTable& kinds) {
  // Clients name DeleteOptions in the group and version of what they delete.
  const bool any_version = expected.kind == "DeleteOptions" || envelope.api_version.empty();
  const bool right_kind = envelope.kind.empty() || envelope.kind == expected.kind;
  if (right_kind && (any_version || envelope.api_version == expected.api_version)) return expected.type;
  const std::string_view version = envelope.api_version;
  const size_t slash = version.find('/');
  const api::ApiResource* other =
      slash == std::string_view::npos
          ? kinds.find_kind("", version, envelope.kind)
          : kinds.find_kind(version.substr(0, slash), version.substr(slash + 1), envelope.kind);
  return other == nullptr || other->custom ? std::string() : other->schema->name;
}

}  // namespace

bool is_protobuf(std::string_view content_type) { return media_type(content_type) == api::kProtobufMediaType; }

api::ApiResult<text::Value> parse_protobuf_body(std::string_view body, const api::Call& call,
                                                const api::ApiResource& resource, const api::ApiResourceTable& kinds) {
  const auto unreadable = [](const Error& error) {
    return std::unexpected(api::bad_request("the body cannot be read: " + error.message));
  };
  auto envelope = api::open_envelope(body);
  if (!envelope) return unreadable(envelope.error());
  const auto expects = expected_by(call, resource);
  if (!expects) return text::Value();  // 404 or 405 follow, whatever was sent
  const Expected& expected = *expects;
  const api::ProtobufMessage* layout = api::builtin_protobuf().find(type_of(*envelope, expected, kinds));
  const std::string& kind = envelope->kind.empty() ? expected.kind : envelope->kind;
  const std::string& version = envelope->api_version.empty() ? expected.api_version : envelope->api_version;
  if (layout == nullptr) {
    return std::unexpected(api::bad_request("no protobuf form is known for the kind \"" + kind + "\" of \"" + version +
                                            "\": send it as application/json"));
  }
  auto decoded = api::decode_protobuf(*layout, envelope->message);
  if (!decoded) return unreadable(decoded.error());
  text::Object object;
  object.reserve(decoded->get_object().size() + 2);
  object["apiVersion"] = version;
  object["kind"] = kind;
  for (auto& [name, value] : decoded->get_object()) object[name] = std::move(value);
  return text::Value(std::move(object));
}

}  // namespace basalt::server
