// The pods that a vcjob will make, read from its templates: while a gang is not let in there are none, and its PodGroup
// only says what they need together.
//
// A template says what a pod would, once the API server has filled it in: requests from limits, host ports of the
// host's network. What webhooks and job plugins add to a pod is not in it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/model/cluster_state.h"
#include "kube/text/json.h"

namespace basalt::state {

// Pods of one task of the job.
struct PlannedPods {
  std::string role;
  int32_t count = 0;
  model::ShapeId shape;
  std::string gates;      // names of their scheduling gates, "a, b"
  std::string node_name;  // they are for this node; no scheduler places them
};

// Interns names, resource dimensions and shapes, changes nothing else. Cost: O(job).
[[nodiscard]] Result<std::vector<PlannedPods>> planned_pods(const text::Value& job, model::ClusterState& state);

}  // namespace basalt::state
