// What a cycle did, in the words of a scenario: names instead of ids, one line of text per reason.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/core/cycle.h"
#include "lab/scenario/scenario_cluster.h"

namespace basalt::lab::scenario {

struct ScenarioOutcome {
  std::vector<std::string> binds;              // pod:node
  std::vector<std::string> evicts;             // pod
  std::vector<std::string> pipelined;          // pod:node
  std::vector<std::string> ungated;            // pod
  std::vector<std::string> refused;            // jobs that enqueue kept out
  std::map<std::string, std::string> phases;   // by job
  std::map<std::string, std::string> reasons;  // by job and by pod; those of earlier cycles stay until they change
};

// Lists are sorted. Requires: `result` is of the cluster's last cycle and nothing changed since.
[[nodiscard]] ScenarioOutcome read_outcome(ScenarioCluster& cluster, const engine::CycleResult& result,
                                           const std::map<std::string, std::string>& earlier_reasons);

}  // namespace basalt::lab::scenario
