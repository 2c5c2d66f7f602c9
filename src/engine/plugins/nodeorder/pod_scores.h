// The raw scores of the nodeorder plugin that look at pods on other nodes: preferred pod affinity and soft topology
// spread. Bound once per class of pods and kept current from the touch log, as in predicates. Lives for one cycle.
#pragma once

#include <memory>
#include <vector>

#include "engine/model/pod_affinity.h"
#include "engine/model/pod_classes.h"
#include "engine/model/topology_spread.h"

namespace basalt::plugins {

class PodScores {
 public:
  struct Bound {
    Bound(const model::ClusterState& state, model::TopologyDomains& domains, model::TaskId task);
    model::TermTally preferences;
    model::SpreadTally spread;
  };

  explicit PodScores(const model::ClusterState& state) : state_(state), classes_(state), domains_(state) {}

  [[nodiscard]] const model::PodClasses& classes() const { return classes_; }
  // For tasks like `task`, not synced; nullptr if no rule about other pods has an opinion. Valid until the next call.
  Bound* bind(model::TaskId task);

 private:
  static constexpr size_t kMaxBound = 256;  // classes kept at once; each holds a few numbers per node

  const model::ClusterState& state_;
  model::PodClasses classes_;
  model::TopologyDomains domains_;
  std::vector<std::unique_ptr<Bound>> bound_;  // by class
  size_t bound_count_ = 0;
};

}  // namespace basalt::plugins
