// The filter rules of the predicates plugin that look at pods on other nodes: required pod affinity and anti-affinity,
// and hard topology spread.
//
// Everything that depends only on the incoming pod is bound once per class of pods (engine/model/pod_classes.h) and
// kept current from the touch log; judging one node is then a few lookups. Lives for one cycle.
#pragma once

#include "engine/model/bound_by_class.h"
#include "engine/model/pod_affinity.h"
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

  PodRules(const model::ClusterState& state, Enabled enabled) : enabled_(enabled), bound_(state) {}

  [[nodiscard]] const model::PodClasses& classes() const { return bound_.classes(); }
  // The task has terms or constraints of its own, so that a placement on any node may change the answer for another.
  [[nodiscard]] bool reaches_cluster(const model::PodShape& shape) const;
  // The rules for tasks like `task`; nullptr if no such rule can refuse it. Valid until the next call.
  const Bound* bind(model::TaskId task);

 private:
  Enabled enabled_;
  model::BoundByClass<Bound> bound_;
};

}  // namespace basalt::plugins
