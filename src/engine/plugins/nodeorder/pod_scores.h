// The raw scores of the nodeorder plugin that look at pods on other nodes: preferred pod affinity and soft topology
// spread. Bound once per class of pods and kept current from the touch log, as in predicates. Lives for one cycle.
#pragma once

#include "engine/model/bound_by_class.h"
#include "engine/model/pod_affinity.h"
#include "engine/model/topology_spread.h"

namespace basalt::plugins {

class PodScores {
 public:
  struct Bound {
    Bound(const model::ClusterState& state, model::TopologyDomains& domains, model::TaskId task);
    model::TermTally preferences;
    model::SpreadTally spread;
  };

  explicit PodScores(const model::ClusterState& state) : bound_(state) {}

  [[nodiscard]] const model::PodClasses& classes() const { return bound_.classes(); }
  // For tasks like `task`, not synced; nullptr if no rule about other pods has an opinion. Valid until the next call.
  Bound* bind(model::TaskId task) { return bound_.of(task); }

 private:
  model::BoundByClass<Bound> bound_;
};

}  // namespace basalt::plugins
