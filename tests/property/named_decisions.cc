#include "tests/property/named_decisions.h"

namespace basalt::property {

NamedDecisions named(const engine::CycleResult& result, const model::ClusterState& state) {
  const auto pod = [&](model::TaskId id) { return state.task(id).uid; };
  const auto node = [&](model::NodeId id) { return state.node(id).name; };
  NamedDecisions decided;
  for (const engine::Bind& bind : result.decisions.binds) decided.binds.push_back({pod(bind.task), node(bind.node)});
  for (const engine::Evict& evict : result.decisions.evicts) {
    decided.evicts.push_back({pod(evict.task), pod(evict.preemptor), std::string(evict.reason)});
  }
  for (const engine::Pipelined& held : result.decisions.pipelined) {
    decided.pipelined.push_back({pod(held.task), node(held.node), held.evicted});
  }
  for (const model::TaskId task : result.decisions.gate_removals) decided.gate_removals.push_back(pod(task));
  for (size_t j = 0; j < state.job_rows(); ++j) {
    const model::Job& job = state.job(model::JobId(j));
    if (job.alive && job.has_pod_group) decided.statuses[job.id] = job.status;
  }
  return decided;
}

std::string NamedDecisions::text() const {
  std::string text;
  const auto line = [&](std::initializer_list<std::string> words) {
    for (const std::string& word : words) text += word + " ";
    text.back() = '\n';
  };
  for (const Bind& bind : binds) line({"bind", bind.pod, bind.node});
  for (const Evict& evict : evicts) line({"evict", evict.victim, "for", evict.preemptor, evict.reason});
  for (const Pipelined& held : pipelined) line({"pipeline", held.pod, held.node, held.evicted ? "evicted" : ""});
  for (const std::string& pod : gate_removals) line({"ungate", pod});
  for (const auto& [job, status] : statuses) {
    line({"phase", job, std::string(model::to_string(status.phase)), std::to_string(status.running),
          std::to_string(status.succeeded), std::to_string(status.failed)});
  }
  return text;
}

}  // namespace basalt::property
