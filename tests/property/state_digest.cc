#include "tests/property/state_digest.h"

#include <algorithm>
#include <sstream>
#include <vector>

namespace basalt::property {

namespace {

using model::ClusterState;

std::string amounts(std::span<const model::Amount> row, const ClusterState& state) {
  std::vector<std::string> parts;
  for (size_t r = 0; r < std::min(row.size(), state.schema.size()); ++r) {
    if (row[r] == 0) continue;
    parts.push_back(std::string(state.schema.name(model::ResourceId(r))) + "=" + std::to_string(row[r]));
  }
  std::sort(parts.begin(), parts.end());
  std::string text = "{";
  for (const std::string& part : parts) text += part + " ";
  return text + "}";
}

std::string counts(const model::StatusCounts& counts) {
  std::string text = "[";
  for (const int32_t count : counts) text += std::to_string(count) + " ";
  return text + "]";
}

std::string node_line(const ClusterState& state, model::NodeId id) {
  const model::Node& node = state.node(id);
  std::ostringstream line;
  line << "node " << node.name << " idle " << amounts(state.idle(id), state) << " future "
       << amounts(state.future_idle(id), state) << " releasing " << amounts(state.releasing(id), state) << " view "
       << amounts(state.view_requested(id), state) << ' ' << node.view_pods << ' ' << node.view_nonzero_cpu_milli << ' '
       << node.view_nonzero_memory << " ports";
  std::vector<int32_t> ports;
  for (const model::HostPort& port : node.view_ports) ports.push_back(port.port);
  std::sort(ports.begin(), ports.end());
  for (const int32_t port : ports) line << ' ' << port;
  return line.str();
}

std::string task_line(const ClusterState& state, const model::Task& task) {
  std::ostringstream line;
  line << "task " << task.uid << ' ' << to_string(task.status) << " on "
       << (task.node.valid() ? state.node(task.node).name : "-") << " nominated "
       << (task.nominated.valid() ? state.node(task.nominated).name : "-") << (task.nominated_unknown ? "?" : "")
       << (task.in_view ? " seen" : "") << " job " << (task.job.valid() ? state.job(task.job).id : "-");
  return line.str();
}

std::string job_line(const ClusterState& state, const model::Job& job) {
  std::ostringstream line;
  line << "job " << job.id << " queue " << (job.queue_id.valid() ? state.queue(job.queue_id).name : "-") << " phase "
       << to_string(job.status.phase) << ' ' << counts(job.counts) << " waiting " << job.pending_best_effort
       << " releasing " << job.releasing_on_node << " priority " << job.priority << " allocated "
       << amounts(job.allocated.cells(), state) << " pending " << amounts(job.pending.cells(), state) << " total "
       << amounts(job.total.cells(), state) << " gated " << amounts(job.gated.cells(), state);
  std::vector<std::string> parts;
  const model::StatusCounts none{};
  for (const model::TaskRole& role : job.roles) {
    if (role.counts == none && role.min == 0) continue;
    parts.push_back("role " + std::string(state.names.text(role.name)) + counts(role.counts) +
                    std::to_string(role.pending_best_effort));
  }
  for (const model::SubJob& sub : job.sub_jobs) {
    if (sub.tasks.empty()) continue;
    parts.push_back("sub " + sub.id + counts(sub.counts) + std::to_string(sub.min_available));
  }
  std::sort(parts.begin(), parts.end());
  for (const std::string& part : parts) line << ' ' << part;
  return line.str();
}

}  // namespace

std::string digest(const ClusterState& state) {
  std::vector<std::string> lines;
  for (const model::NodeId id : state.nodes_by_name()) lines.push_back(node_line(state, id));
  for (size_t t = 0; t < state.task_rows(); ++t) {
    if (const model::Task& task = state.task(model::TaskId(t)); task.alive) lines.push_back(task_line(state, task));
  }
  for (size_t j = 0; j < state.job_rows(); ++j) {
    if (const model::Job& job = state.job(model::JobId(j)); job.alive) lines.push_back(job_line(state, job));
  }
  for (const model::TaskId id : state.tasks_with_pod_terms()) lines.push_back("terms of " + state.task(id).uid);
  lines.push_back("totals " + amounts(state.total_allocatable().cells(), state) + " used " +
                  amounts(state.total_used().cells(), state) + (state.any_pod_terms() ? " terms" : ""));
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string first_difference(const std::string& left, const std::string& right) {
  if (left == right) return "";
  std::istringstream a(left);
  std::istringstream b(right);
  std::string one;
  std::string other;
  while (true) {
    const bool has_one = static_cast<bool>(std::getline(a, one));
    const bool has_other = static_cast<bool>(std::getline(b, other));
    if (!has_one) one = "(end)";
    if (!has_other) other = "(end)";
    if (one != other || (!has_one && !has_other)) return "\n    " + one + "\n    " + other;
  }
}

}  // namespace basalt::property
