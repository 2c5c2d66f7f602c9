// The filter rules of the predicates plugin that look at pods on other nodes: required pod affinity and anti-affinity,
// and hard topology spread.
//
// Everything that depends only on the incoming pod is bound once per class of pods (engine/model/pod_classes.h) and
// kept current from the touch log; judging one node is then a few lookups. Lives for one cycle.
#pragma once

#include <memory>
#include <vector>

#include "engine/model/pod_affinity.h"
#include "engine/model/pod_classes.h"
#include "engine/model/topology_spread.h"

namespace basalt::plugins {

class PodRules {
 public:
  struct Enabled {
    bool affinity = true;
    bool spread = true;
  };
  enum class Answer : uint8_t { Fits, Affinity, AntiAffinity, ExistingAntiAffinity };

  // The rules for one class of pods, current until the next placement.
  class Bound {
   public:
    Bound(const model::ClusterState& state, model::TopologyDomains& domains, model::TaskId task, Enabled enabled);
    void sync();
    [[nodiscard]] Answer judge_affinity(model::NodeId node) const;
    [[nodiscard]] model::SpreadTally::Answer judge_spread(model::NodeId node) const { return spread_.judge(node); }

   private:
    Enabled enabled_;
    bool matches_own_affinity_ = false;
    model::TermTally affinity_, anti_affinity_, existing_;
    model::SpreadTally spread_;
  };

  PodRules(const model::ClusterState& state, Enabled enabled)
      : state_(state), enabled_(enabled), classes_(state), domains_(state) {}

  [[nodiscard]] const model::PodClasses& classes() const { return classes_; }
  // The task has terms or constraints of its own, so that a placement on any node may change the answer for another.
  [[nodiscard]] bool reaches_cluster(const model::PodShape& shape) const;
  // The rules for tasks like `task`; nullptr if no such rule can refuse it. Valid until the next call.
  const Bound* bind(model::TaskId task);

 private:
  static constexpr size_t kMaxBound = 256;  // classes kept at once; each holds a few numbers per node

  const model::ClusterState& state_;
  Enabled enabled_;
  model::PodClasses classes_;
  model::TopologyDomains domains_;
  std::vector<std::unique_ptr<Bound>> bound_;  // by class
  size_t bound_count_ = 0;
};

}  // namespace basalt::plugins
