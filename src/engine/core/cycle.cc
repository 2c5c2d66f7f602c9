#include "engine/core/cycle.h"

#include "engine/core/session.h"

namespace basalt::engine {

namespace {

CycleMemory& memory_of(model::ClusterState& state, const Policy& policy, bool keep) {
  auto* memory = dynamic_cast<CycleMemory*>(state.memory.get());
  if (memory == nullptr || !keep || memory->policy_fingerprint != policy.fingerprint) {
    auto fresh = std::make_unique<CycleMemory>();
    memory = fresh.get();
    memory->policy_fingerprint = policy.fingerprint;
    state.memory = std::move(fresh);
  }
  return *memory;
}

bool decided_nothing(const CycleResult& result) {
  if (!result.decisions.binds.empty() || !result.decisions.evicts.empty() || !result.decisions.pipelined.empty() ||
      !result.decisions.gate_removals.empty()) {
    return false;
  }
  for (const JobReport& job : result.report.jobs) {
    if (job.changed) return false;
  }
  return true;
}

}  // namespace

CycleResult run_cycle(model::ClusterState& state, const Policy& policy, Instant now, Rng& rng,
                      const CycleOptions& options) {
  CycleMemory& memory = memory_of(state, policy, options.use_memory);
  const auto phase = [&](std::string_view name) {
    if (options.observer != nullptr) options.observer->phase(name);
  };
  phase("open");
  if (memory.quiet_at_version == state.version()) {
    phase("done");
    CycleResult nothing;
    nothing.skipped = true;
    return nothing;
  }
  Session session(state, policy, now, rng, memory);
  session.open();
  if (options.observer != nullptr) options.observer->opened(session);
  for (const Policy::Action& action : policy.actions) {
    phase(action.name);
    action.run(session);
  }
  phase("close");
  session.close();
  state.touches().trim();
  const bool quiet = decided_nothing(session.result) && !session.hooks.depends_on_time;
  memory.quiet_at_version = quiet ? state.version() : 0;
  phase("done");
  return std::move(session.result);
}

uint64_t class_node_evaluations(const model::ClusterState& state) {
  const auto* memory = dynamic_cast<const CycleMemory*>(state.memory.get());
  return memory == nullptr ? 0 : memory->classes.evaluations();
}

}  // namespace basalt::engine
