// A pod's scheduling inputs → model::PodShape.
//
// Two things are settled here that Kubernetes leaves to the scheduler: matchLabelKeys of affinity terms and spread
// constraints become requirements on the pod's own label values, and an image without a tag means ":latest".
#pragma once

#include "base/result.h"
#include "engine/model/cluster_state.h"
#include "kube/api/pod_types.h"

namespace basalt::state {

// The error names the field below the pod. Interns names and resource dimensions, changes nothing else.
// Cost: O(pod).
[[nodiscard]] Result<model::PodShape> build_shape(const api::Pod& pod, StringPool& names,
                                                  model::ResourceSchema& schema);

}  // namespace basalt::state
