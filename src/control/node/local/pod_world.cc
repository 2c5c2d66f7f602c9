#include "control/node/local/pod_world.h"

#include "control/node/local/references.h"
#include "kube/api/object_fields.h"

namespace basalt::node {
namespace {

void take(const ObjectMap& from, const References::Names& names, std::string_view space, ObjectMap& to) {
  for (const std::string& name : names) {
    const auto at = from.find(key_from(space, name));
    if (at != from.end()) to.insert(*at);
  }
}

Lookup::Find finder(const ObjectMap& map) {
  return [&map](std::string_view space, std::string_view name) -> const text::Object* {
    const auto at = map.find(key_from(space, name));
    return at == map.end() ? nullptr : at->second->if_object();
  };
}

}  // namespace

std::string key_from(std::string_view space, std::string_view name) {
  std::string key(space);
  if (!key.empty()) key += '/';
  return key += name;
}

bool learn_object(ObjectMap& map, const client::ObjectPtr& object) {
  const text::Object& next = object->get_object();
  client::ObjectPtr& known = map[api::key_of(next)];
  if (known != nullptr &&
      !api::is_later_version(api::string_at(next, {"metadata", "resourceVersion"}),
                             api::string_at(known->get_object(), {"metadata", "resourceVersion"}))) {
    return false;
  }
  known = object;
  return true;
}

Lookup PodWorld::lookup() const {
  return {.config_map = finder(config_maps),
          .secret = finder(secrets),
          .claim = finder(claims),
          .volume = finder(volumes),
          .services =
              [this] {
                std::vector<const text::Object*> list;
                list.reserve(services.size());
                for (const client::ObjectPtr& service : services) list.push_back(&service->get_object());
                return list;
              },
          .token = {}};
}

PodWorld world_of(const client::ObjectPtr& pod, const SeenObjects& seen) {
  const std::string_view space = api::namespace_of(pod->get_object());
  const References names = references_of(pod->get_object());
  PodWorld world{.pod = pod};
  take(seen.config_maps, names.config_maps, space, world.config_maps);
  take(seen.secrets, names.secrets, space, world.secrets);
  take(seen.claims, names.claims, space, world.claims);
  for (const auto& [key, claim] : world.claims) {
    const auto at = seen.volumes.find(api::string_at(claim->get_object(), {"spec", "volumeName"}));
    if (at != seen.volumes.end()) world.volumes.insert(*at);
  }
  for (const auto& [key, service] : seen.services) world.services.push_back(service);
  return world;
}

}  // namespace basalt::node
