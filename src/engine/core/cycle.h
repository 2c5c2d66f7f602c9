// The engine's entry point.
//
// run_cycle is a pure function of its arguments: same state, policy, time and seed give the same decisions. It changes
// the state only by what it decided: bound tasks are Binding on their node, evicted ones Releasing, job phases are set;
// everything tentative is undone before it returns.
#pragma once

#include <string_view>

#include "base/instant.h"
#include "base/rng.h"
#include "engine/core/decisions.h"
#include "engine/core/policy.h"
#include "engine/model/cluster_state.h"

namespace basalt::engine {

// Told when a phase of the cycle begins ("open", the actions' names, "close", "done"): where a caller reads its clock.
struct CycleObserver {
  virtual ~CycleObserver() = default;
  virtual void phase(std::string_view name) = 0;
  // Sees the session after it was opened and before any action ran (probes, explain).
  virtual void opened(Session& /*session*/) {}
};

struct CycleOptions {
  CycleObserver* observer = nullptr;
  bool use_memory = true;  // false: every shortcut off, as a reference for tests
};

CycleResult run_cycle(model::ClusterState& state, const Policy& policy, Instant now, Rng& rng,
                      const CycleOptions& options = {});

// How many class × node rows have been evaluated for this state so far.
uint64_t class_node_evaluations(const model::ClusterState& state);

}  // namespace basalt::engine
