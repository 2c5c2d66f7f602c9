// What must hold after every cycle, whatever the world was like before.
#pragma once

#include <map>
#include <string>

#include "engine/core/decisions.h"
#include "engine/model/cluster_state.h"
#include "tests/property/random_policy.h"

namespace basalt::property {

struct AfterCycle {
  const model::ClusterState& state;
  const engine::CycleResult& result;
  const RandomPolicy& policy;
};

// allocate runs after an action that evicts.
bool binds_after_evicting(const RandomPolicy& policy);

// Each "" or what is wrong.
std::string nothing_oversubscribed(const AfterCycle& after);     // by binds, and by places promised to pipelined pods
std::string no_gang_half_placed(const AfterCycle& after);        // whole, roles and sub-groups
std::string no_queue_above_capability(const AfterCycle& after);  // by binds, ancestors included
std::string evictions_have_their_preemptor(const AfterCycle& after);
std::string nothing_tentative_left(const AfterCycle& after);

// The first of all of these, and of ClusterState::verify().
std::string broken_invariant(const AfterCycle& after);

}  // namespace basalt::property
