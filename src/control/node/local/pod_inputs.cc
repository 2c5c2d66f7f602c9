#include "control/node/local/pod_inputs.h"

#include "control/node/local/pod_references.h"
#include "kube/api/object_fields.h"

namespace basalt::node {
namespace {

void take(const ObjectMap& from, const PodReferences::Names& names, std::string_view ns, ObjectMap& to) {
  for (const std::string& name : names) {
    const auto at = from.find(object_key(ns, name));
    if (at != from.end()) to.insert(*at);
  }
}

PodObjectLookup::Find finder(const ObjectMap& map) {
  return [&map](std::string_view ns, std::string_view name) -> const text::Object* {
    const auto at = map.find(object_key(ns, name));
    return at == map.end() ? nullptr : at->second->if_object();
  };
}

}  // namespace

std::string object_key(std::string_view ns, std::string_view name) {
  std::string key(ns);
  if (!key.empty()) key += '/';
  return key += name;
}

bool update_object(ObjectMap& map, const client::ObjectPtr& object) {
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

PodObjectLookup PodInputs::lookup() const {
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

PodInputs pod_inputs_of(const client::ObjectPtr& pod, const NodeObjectCache& seen) {
  const std::string_view ns = api::namespace_of(pod->get_object());
  const PodReferences names = references_of(pod->get_object());
  PodInputs inputs{.pod = pod};
  take(seen.config_maps, names.config_maps, ns, inputs.config_maps);
  take(seen.secrets, names.secrets, ns, inputs.secrets);
  take(seen.claims, names.claims, ns, inputs.claims);
  for (const auto& [key, claim] : inputs.claims) {
    const auto at = seen.volumes.find(api::string_at(claim->get_object(), {"spec", "volumeName"}));
    if (at != seen.volumes.end()) inputs.volumes.insert(*at);
  }
  for (const auto& [key, service] : seen.services) inputs.services.push_back(service);
  return inputs;
}

}  // namespace basalt::node
