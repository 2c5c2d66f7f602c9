// The text of a cycle's report, in Volcano's wording: why a pod found no node, why a gang waits.
#pragma once

#include <string>

#include "engine/cycle.h"
#include "model/cluster_state.h"

namespace basalt::cli::scenario {

// "0/3 nodes are unavailable: 1 node(s) had untolerated taint(s), 2 Insufficient cpu."
[[nodiscard]] std::string fit_text(const model::ClusterState& state, const engine::FitFailure& failure);
// The message of the pod's PodScheduled condition.
[[nodiscard]] std::string pod_text(const model::ClusterState& state, const engine::Report& report,
                                   const engine::JobReport& job, const engine::TaskReport& task);
// The message of the pod group's Unschedulable condition; "" if it is ready.
[[nodiscard]] std::string job_text(const model::ClusterState& state, const engine::Report& report,
                                   const engine::JobReport& job);

}  // namespace basalt::cli::scenario
