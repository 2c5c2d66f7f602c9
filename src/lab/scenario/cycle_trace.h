// A cycle told as text: the cluster before it, what the plugins saw, every decision with its reason.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "engine/core/cycle.h"
#include "lab/scenario/scenario_cluster.h"
#include "lab/scenario/scenario_outcome.h"

namespace basalt::lab::scenario {

class Tracer final : public engine::CycleObserver {
 public:
  Tracer(ScenarioCluster& cluster, const engine::Policy& policy) : cluster_(cluster), policy_(policy) {}

  [[nodiscard]] std::string before(size_t cycle);
  // Requires: nothing changed since the cycle.
  [[nodiscard]] std::string after(const engine::CycleResult& result, const ScenarioOutcome& outcome) const;

  void phase(std::string_view /*name*/) override {}
  void opened(engine::Session& session) override;

 private:
  void describe_nodes(std::string& out) const;
  void describe_queues(std::string& out) const;
  void describe_jobs(std::string& out);

  ScenarioCluster& cluster_;
  const engine::Policy& policy_;
  std::string seen_;
  std::map<std::string, std::string> phases_;  // before the cycle
};

}  // namespace basalt::lab::scenario
