// PolicySpec → Policy: names resolved, arguments parsed, switches and defaults applied. All or nothing.
#pragma once

#include "base/result.h"
#include "engine/core/policy.h"
#include "engine/policy/policy_spec.h"

namespace basalt::policy {

// The error names the place (tiers[1].plugins[0]: binpack: arguments.binpack.weight …) and what to write instead. An
// argument that the plugin or action does not know is an error.
Result<engine::Policy> build_policy(const PolicySpec& spec);

// Combinations that a conf file must not ask for: drf with hierarchy and proportion both order queues, differently, so
// in one tier they contradict each other. Whoever reads a file asks this too.
Result<void> check_combinations(const PolicySpec& spec);
// Numbers out of their range, which Volcano (and build_policy) silently replaces or obeys. Whoever reads a file asks
// this too.
Result<void> check_values(const PolicySpec& spec);

}  // namespace basalt::policy
