// What a cycle decided, with names instead of ids, so that two states can be compared.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/core/decisions.h"
#include "engine/model/cluster_state.h"

namespace basalt::property {

struct NamedDecisions {
  struct Bind {
    std::string pod, node;
  };
  struct Evict {
    std::string victim, preemptor, reason;
  };
  struct Pipelined {
    std::string pod, node;
    bool evicted = false;
  };
  std::vector<Bind> binds;
  std::vector<Evict> evicts;
  std::vector<Pipelined> pipelined;
  std::vector<std::string> gate_removals;
  std::map<std::string, model::PodGroupStatus> statuses;  // of every job after the cycle, by "namespace/name"

  // One line per decision, in order, then the phases.
  [[nodiscard]] std::string text() const;
};

NamedDecisions named(const engine::CycleResult& result, const model::ClusterState& state);

}  // namespace basalt::property
