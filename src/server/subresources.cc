#include "server/subresources.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace basalt::server {
namespace {

// What subresources take and answer. An empty kind is the resource's own.
struct KnownSubresource {
  std::string_view name, group, version, kind, schema;
  std::array<std::string_view, 3> verbs;
};
constexpr KnownSubresource kKnown[] = {
    {"binding", "", "", "Binding", "io.k8s.api.core.v1.Binding", {"create"}},
    {"ephemeralcontainers", "", "", "", "", {"get", "patch", "update"}},
    {"eviction", "policy", "v1", "Eviction", "io.k8s.api.policy.v1.Eviction", {"create"}},
    {"exec", "", "", "PodExecOptions", "", {"create", "get"}},
    {"finalize", "", "", "", "", {"update"}},
    {"log", "", "", "", "", {"get"}},
    {"resize", "", "", "", "", {"get", "patch", "update"}},
    {"scale", "autoscaling", "v1", "Scale", "io.k8s.api.autoscaling.v1.Scale", {"get", "patch", "update"}},
    {"status", "", "", "", "", {"get", "patch", "update"}},
    {"token", "authentication.k8s.io", "v1", "TokenRequest", "io.k8s.api.authentication.v1.TokenRequest", {"create"}},
};

Subresource subresource(const api::ApiResource& resource, const std::string& name) {
  Subresource out{.name = name, .kind = resource.kind, .verbs = {"get"}};
  const auto* const known = std::ranges::find(kKnown, std::string_view(name), &KnownSubresource::name);
  if (known == std::end(kKnown)) return out;
  out.group = known->group;
  out.version = known->version;
  out.schema = known->schema;
  if (!known->kind.empty()) out.kind = known->kind;
  out.verbs.clear();
  for (const std::string_view verb : known->verbs) {
    if (!verb.empty()) out.verbs.push_back(verb);
  }
  return out;
}

}  // namespace

std::vector<Subresource> subresources_of(const api::ApiResource& resource) {
  std::vector<Subresource> out;
  if (resource.has_status) out.push_back(subresource(resource, "status"));
  if (resource.scale) out.push_back(subresource(resource, "scale"));
  for (const std::string& name : resource.extra_subresources) out.push_back(subresource(resource, name));
  std::ranges::sort(out, {}, &Subresource::name);
  return out;
}

}  // namespace basalt::server
