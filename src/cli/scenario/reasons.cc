#include "cli/scenario/reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "engine/memory.h"

namespace basalt::cli::scenario {

namespace {

using model::TaskStatus;

std::string joined(std::vector<std::string> parts) {
  std::sort(parts.begin(), parts.end());
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string_view reason_of(const engine::TaskReport& task) {
  return task.last == TaskStatus::Allocated ? "Schedulable" : "Unschedulable";
}

// "pod group is not ready, 1 Running, 2 Pending, 3 minAvailable; Pending: 2 Unschedulable"
std::string gang_text(const model::ClusterState& state, const engine::JobReport& job) {
  std::vector<std::string> parts;
  for (size_t s = 0; s < model::kTaskStatuses; ++s) {
    if (job.counts[s] > 0)
      parts.push_back(fmt::format("{} {}", job.counts[s], model::to_string(static_cast<TaskStatus>(s))));
  }
  parts.push_back(fmt::format("{} minAvailable", state.job(job.job).min_available));
  std::string text = fmt::format("pod group is {}, {}", job.ready ? "ready" : "not ready", joined(std::move(parts)));
  std::map<std::string_view, int> pending;
  for (const engine::TaskReport& task : job.tasks) ++pending[reason_of(task)];
  std::vector<std::string> reasons;
  for (const auto& [reason, count] : pending) reasons.push_back(fmt::format("{} {}", count, reason));
  if (!reasons.empty()) text += "; Pending: " + joined(std::move(reasons));
  return text;
}

std::string job_fit_text(const model::ClusterState& state, const engine::Report& report, const engine::JobReport& job) {
  std::string text = gang_text(state, job);
  for (const engine::TaskReport& task : job.tasks) {
    if (!job.origin || task.task != *job.origin || !task.failure) continue;
    text += fmt::format(". Origin reason is {}: {}", state.task(task.task).name,
                        fit_text(state, report.failures[*task.failure]));
  }
  return text;
}

}  // namespace

std::string fit_text(const model::ClusterState& state, const engine::FitFailure& failure) {
  using Kind = engine::FitFailure::Kind;
  if (failure.kind == Kind::RoleFailedBefore) return "another pod of the same role found no node";
  if (failure.kind == Kind::QueueRefused) return "the queue has no room for it";
  const auto* memory = dynamic_cast<const engine::CycleMemory*>(state.memory.get());
  if (memory == nullptr) return "";
  std::vector<std::string> parts;
  for (const auto& [reason, nodes] : failure.reasons) {
    parts.push_back(fmt::format("{} {}", nodes, memory->verdicts.text(reason)));
  }
  return fmt::format("0/{} nodes are unavailable: {}.", failure.nodes, joined(std::move(parts)));
}

std::string pod_text(const model::ClusterState& state, const engine::Report& report, const engine::JobReport& job,
                     const engine::TaskReport& task) {
  const model::Task& row = state.task(task.task);
  const std::string pod = std::string(state.names.text(row.ns)) + "/" + row.name;
  if (task.last == TaskStatus::Allocated) {
    return fmt::format("Pod {} can possibly be assigned to {}, once minAvailable is satisfied", pod,
                       state.node(task.node).name);
  }
  if (task.last == TaskStatus::Pipelined) {
    return fmt::format("Pod {} can possibly be assigned to {}, once resource is released and minAvailable is satisfied",
                       pod, state.node(task.node).name);
  }
  if (task.failure) return fit_text(state, report.failures[*task.failure]);
  return job_fit_text(state, report, job);
}

std::string job_text(const model::ClusterState& state, const engine::Report& report, const engine::JobReport& job) {
  if (!job.gang || job.gang->schedulable) return "";
  return fmt::format("{}/{} tasks in gang unschedulable: {}", job.gang->missing, state.job(job.job).tasks.size(),
                     job_fit_text(state, report, job));
}

}  // namespace basalt::cli::scenario
