#include "lab/scenario/scenario_outcome.h"

#include <algorithm>

#include "control/scheduler/state/report_text.h"

namespace basalt::lab::scenario {

namespace {

void read_reasons(ScenarioCluster& cluster, const engine::CycleReport& report,
                  std::map<std::string, std::string>& reasons) {
  const model::ClusterState& state = cluster.state();
  const engine::VerdictTable* verdicts = state::verdicts_of(state);
  if (verdicts == nullptr) return;
  const state::ReportText text(report, state, *verdicts);
  for (const engine::JobReport& job : report.jobs) {
    const std::string& name = state.job(job.job).name;
    reasons.erase(name);
    for (const model::TaskId task : state.job(job.job).tasks) reasons.erase(state.task(task).name);
    const auto condition = text.pod_group_condition(job);
    if (condition && condition->type == "Unschedulable") reasons[name] = condition->message;
    for (const engine::TaskReport& task : job.tasks) {
      reasons[state.task(task.task).name] = text.pod_condition(job, task).message;
    }
  }
  for (const engine::EnqueueRefusal& refusal : report.refusals) {
    reasons[state.job(refusal.job).name] = std::string(refusal.plugin) + ": " + refusal.message;
  }
}

}  // namespace

ScenarioOutcome read_outcome(ScenarioCluster& cluster, const engine::CycleResult& result,
                             const std::map<std::string, std::string>& earlier_reasons) {
  const model::ClusterState& state = cluster.state();
  ScenarioOutcome outcome{.reasons = earlier_reasons};
  const auto pod_at = [&](model::TaskId task, model::NodeId node) {
    return state.task(task).name + ":" + state.node(node).name;
  };
  for (const engine::Bind& bind : result.decisions.binds) outcome.binds.push_back(pod_at(bind.task, bind.node));
  for (const engine::Evict& evict : result.decisions.evicts) outcome.evicts.push_back(state.task(evict.task).name);
  for (const auto& held : result.decisions.pipelined) outcome.pipelined.push_back(pod_at(held.task, held.node));
  for (const model::TaskId task : result.decisions.gate_removals) outcome.ungated.push_back(state.task(task).name);
  for (const std::string& name : cluster.job_names()) {
    const model::JobId id = cluster.job_id(name);
    if (id.valid()) outcome.phases[name] = model::to_string(state.job(id).status.phase);
  }
  for (const auto& refusal : result.report.refusals) outcome.refused.push_back(state.job(refusal.job).name);
  read_reasons(cluster, result.report, outcome.reasons);
  for (auto* list : {&outcome.binds, &outcome.evicts, &outcome.pipelined, &outcome.ungated, &outcome.refused}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  return outcome;
}

}  // namespace basalt::lab::scenario
