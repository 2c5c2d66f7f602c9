// The files of a volume that is made from objects: configMap, secret, downwardAPI, projected. Pure.
//
// Paths are made harmless here: one that is absolute, has "..", or begins with ".." is refused, whoever wrote it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "control/node/local/atomic_files.h"
#include "control/node/local/object_lookup.h"
#include "kube/api/views/volume_view.h"

namespace basalt::node {

struct Projection {
  VolumeFiles files;
  std::vector<std::string> notes;  // a service account token that cannot be given here
};

// `volume`: an element of spec.volumes. nullopt: it is of another kind. The error says `configmap "x" not found`, or
// `configmap references non-existent config key: y`. Cost: O(bytes).
[[nodiscard]] std::optional<Result<Projection>> project(const text::Object& pod, api::VolumeView volume,
                                                        const PodPlacement& place, const PodObjectLookup& lookup);

}  // namespace basalt::node
