// What a pod's environment and volumes are made from, beyond the pod itself: other objects, and what the node knows.
//
// Objects returned by a PodObjectLookup stay valid during the call that received it. nullptr: there is none.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/api/typed_decode.h"
#include "kube/text/json.h"

namespace basalt::node {

struct PodObjectLookup {
  using Find = std::function<const text::Object*(std::string_view ns, std::string_view name)>;

  Find config_map, secret;
  Find claim;                                                  // PersistentVolumeClaim
  Find volume;                                                 // PersistentVolume; its namespace is ""
  std::function<std::vector<const text::Object*>()> services;  // all of them, in the order of their keys
  // A bearer token for a service account of the pod's namespace that the API server accepts; "": there are none here.
  std::function<std::string(std::string_view ns, std::string_view account)> token;

  // The functions above, where one that is not set finds nothing.
  [[nodiscard]] const text::Object* find_config_map(std::string_view ns, std::string_view name) const {
    return config_map ? config_map(ns, name) : nullptr;
  }
  [[nodiscard]] const text::Object* find_secret(std::string_view ns, std::string_view name) const {
    return secret ? secret(ns, name) : nullptr;
  }
  [[nodiscard]] const text::Object* find_claim(std::string_view ns, std::string_view name) const {
    return claim ? claim(ns, name) : nullptr;
  }
  [[nodiscard]] const text::Object* find_volume(std::string_view name) const {
    return volume ? volume("", name) : nullptr;
  }
  [[nodiscard]] std::vector<const text::Object*> all_services() const {
    return services ? services() : std::vector<const text::Object*>();
  }
};

// Where a pod runs.
struct PodPlacement {
  std::string host_address = "127.0.0.1";
  std::string pod_address = "127.0.0.1";
  api::ResourceList allocatable;  // of the node: what a container without a limit may take
};

}  // namespace basalt::node
