// Which other objects a pod's environment and volumes are made from: when one of them changes, the pod is looked at
// again.
#pragma once

#include <set>
#include <string>

#include "kube/text/json.h"

namespace basalt::node {

struct PodReferences {
  using Names = std::set<std::string, std::less<>>;
  Names config_maps, secrets, claims;  // of the pod's namespace
};

// Of volumes and of the environment of all containers.
[[nodiscard]] PodReferences references_of(const text::Object& pod);
// Of volumes only: those whose change reaches a running pod.
[[nodiscard]] PodReferences volume_references_of(const text::Object& pod);

}  // namespace basalt::node
