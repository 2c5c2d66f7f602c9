// What the node knows of the API beyond its pods, and the part of it that one pod is made from.
//
// NodeObjectCache belongs to the loop's thread. A PodInputs is what a pod's environment and volumes are made from at
// one moment: it shares the objects (they never change) and may go to another thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "control/node/local/object_lookup.h"
#include "kube/client/object_client.h"

namespace basalt::node {

// Objects of one kind by their key, "namespace/name" or "name".
using ObjectMap = std::map<std::string, client::ObjectPtr, std::less<>>;

struct NodeObjectCache {
  ObjectMap config_maps, secrets, services, claims, volumes;
};

// Takes the state unless a later one is known. Answers whether it was new.
bool update_object(ObjectMap& map, const client::ObjectPtr& object);

struct PodInputs {
  client::ObjectPtr pod;
  PodPlacement place;
  std::string devices_note;  // why it got no devices; "": it got what it asked for
  std::map<std::string, std::vector<std::string>> device_variables;  // "K=V" by container
  std::string hosts;                                                 // text of its hosts file
  ObjectMap config_maps, secrets, claims, volumes;
  std::vector<client::ObjectPtr> services;

  // Requires: this outlives it.
  [[nodiscard]] PodObjectLookup lookup() const;
};

// What `pod` refers to, of what was seen. Cost: O(references + services).
[[nodiscard]] PodInputs pod_inputs_of(const client::ObjectPtr& pod, const NodeObjectCache& seen);

// "namespace/name", or "name" without a namespace.
[[nodiscard]] std::string object_key(std::string_view ns, std::string_view name);

}  // namespace basalt::node
