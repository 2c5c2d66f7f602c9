#include "tests/kube/protobuf/forms.h"

#include <fmt/format.h>

#include <cstdlib>

#include "kube/api/object_fields.h"
#include "kube/client/kubeconfig_loader.h"
#include "kube/client/protobuf/protobuf_kinds.h"

namespace basalt::tests {

std::unique_ptr<client::HttpsObjectClient> client_of(const std::string& kubeconfig, bool lean, size_t connections) {
  auto connection = client::load_rest_config({.file = kubeconfig});
  if (connection) {
    auto made = client::HttpsObjectClient::make(
        std::move(*connection), {.max_connections = connections, .user_agent = lean ? "lean" : "json", .lean = lean});
    if (made) return std::move(*made);
    connection = std::unexpected(made.error());
  }
  fmt::print(stderr, "{}: {}\n", kubeconfig, connection.error().message);
  std::exit(2);
}

std::optional<api::GroupVersionResource> resource_of(const text::Object& object) {
  const std::string_view version = api::string_at(object, "apiVersion");
  const size_t slash = version.find('/');
  const std::string_view group = slash == std::string_view::npos ? std::string_view() : version.substr(0, slash);
  for (const client::ProtobufKind& row : client::protobuf_kinds()) {
    if (row.group != group || !row.type.ends_with("." + std::string(api::string_at(object, "kind")))) continue;
    return api::GroupVersionResource{
        .group = std::string(row.group), .version = std::string(row.version), .plural = std::string(row.plural)};
  }
  return std::nullopt;
}

api::Call call_about(api::Verb verb, const text::Object& object) {
  api::Call call{.verb = verb, .resource = *resource_of(object)};
  call.namespace_name = api::namespace_of(object);
  if (verb != api::Verb::Create && verb != api::Verb::List && verb != api::Verb::Watch)
    call.name = api::name_of(object);
  return call;
}

}  // namespace basalt::tests
