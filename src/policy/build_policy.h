// PolicySpec → Policy: names resolved, arguments parsed, switches and defaults applied. All or nothing.
#pragma once

#include "base/result.h"
#include "engine/policy.h"
#include "policy/policy_spec.h"

namespace basalt::policy {

// The error names the place (tiers[1].plugins[0]: arguments.binpack.weight …) and what to write instead.
Result<engine::Policy> build_policy(const PolicySpec& spec);

// Combinations that a conf file must not ask for: drf with hierarchy and proportion both order queues, differently, so
// in one tier they contradict each other. Whoever reads a file asks this too.
Result<void> check_combinations(const PolicySpec& spec);

}  // namespace basalt::policy
