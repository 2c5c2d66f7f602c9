// The lines that make up volcano-scheduler.conf: tiers, actions, plugin, action.
//
//   tiers    priority gang conformance | drf predicates proportion nodeorder
//   actions  enqueue allocate backfill
//   plugin   binpack binpack.weight=10            arguments and enable… switches, spelled as in the conf
//   action   preempt enableTopologyAwarePreemption=true
// What is not given is the built-in default. Lines between cycles change the conf for the next cycle.
#pragma once

#include "engine/policy/build_policy.h"
#include "lab/scenario/scenario_script.h"

namespace basalt::lab::scenario {

class PolicyLines {
 public:
  [[nodiscard]] static bool knows(const ScriptLine& line);
  [[nodiscard]] Result<void> apply(const ScriptLine& line);
  [[nodiscard]] const policy::PolicySpec& spec() const { return spec_; }

 private:
  Result<void> set_tiers(const ScriptLine& line);
  Result<void> set_actions(const ScriptLine& line);
  Result<void> set_plugin(const ScriptLine& line);
  Result<void> set_action(const ScriptLine& line);

  policy::PolicySpec spec_ = policy::default_policy_spec();
};

}  // namespace basalt::lab::scenario
