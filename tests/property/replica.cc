#include "tests/property/replica.h"

#include "tests/property/pick.h"

namespace basalt::property {

void Replica::start(const RandomClusterPlan& plan) {
  state_ = std::make_unique<model::ClusterState>();
  apply_limits(plan, *state_);
  tell(plan, everything(plan));
}

void Replica::tell(const RandomClusterPlan& plan, std::vector<PlanChange> changes) {
  if (ways_.shuffled) shuffle(order_, changes);
  for (const PlanChange& change : changes) apply(plan, change, *state_);
}

NamedDecisions Replica::cycle(const RandomClusterPlan& plan, const engine::Policy& policy, Instant now) {
  if (ways_.always_fresh) start(plan);
  last_ = engine::run_cycle(*state_, policy, now, chance_, {.use_memory = ways_.use_memory});
  return named(last_, *state_);
}

}  // namespace basalt::property
