// One scheduler's copy of the world: a state that is told of changes and asked for decisions.
#pragma once

#include <memory>
#include <vector>

#include "engine/core/cycle.h"
#include "tests/property/named_decisions.h"
#include "tests/property/random_cluster_plan.h"

namespace basalt::property {

class Replica {
 public:
  struct Ways {
    bool use_memory = true;
    bool shuffled = false;      // objects arrive in another order
    bool always_fresh = false;  // built anew from the plan before every cycle
  };
  explicit Replica(Ways ways, uint64_t seed = 1) : ways_(ways), order_(seed) {}

  void start(const RandomClusterPlan& plan);
  void tell(const RandomClusterPlan& plan, std::vector<PlanChange> changes);
  NamedDecisions cycle(const RandomClusterPlan& plan, const engine::Policy& policy, Instant now);

  [[nodiscard]] model::ClusterState& state() { return *state_; }
  [[nodiscard]] const engine::CycleResult& last_result() const { return last_; }

 private:
  Ways ways_;
  Rng order_;
  Rng chance_{7};
  std::unique_ptr<model::ClusterState> state_;
  engine::CycleResult last_;
};

}  // namespace basalt::property
