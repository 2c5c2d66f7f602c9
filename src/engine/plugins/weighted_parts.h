// What the proportion plugin gives each queue: its part of the cluster, by weight (engine/model/water_filling.h).
//
// Only queues with jobs are present; the others take part with their guarantee. Cost: O(jobs + queues · rounds).
#pragma once

#include <span>

#include "engine/model/cluster_state.h"
#include "engine/model/dominant_share.h"
#include "engine/model/queue_usage.h"

namespace basalt::plugins {

struct WeightedPart {
  bool present = false;  // the queue has jobs
  model::QueueUsage usage;
  model::RealVec deserved, limit;  // limit: real capability
  model::DominantShare whole;      // deserved
  double share = 0;                // of what it deserves

  // The queue has all that it deserves.
  [[nodiscard]] bool overused() const { return present && whole.exhausted_by(usage.allocated); }
};

using WeightedParts = IdVector<model::QueueId, WeightedPart>;

// `jobs`: those that take part, as Session::jobs() has them.
WeightedParts divide_by_weight(const model::ClusterState& state, std::span<const model::JobId> jobs);

}  // namespace basalt::plugins
