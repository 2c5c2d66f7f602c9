#include "control/scheduler/state_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "control/scheduler/cycle_output.h"
#include "control/scheduler/queue_writes.h"
#include "kube/text/rfc3339.h"

namespace basalt::scheduler {
namespace {

using model::ClusterState;
using model::JobId;
using model::QueueId;
using model::TaskId;

text::Object amounts_of(const model::ResourceVec& amounts, const ClusterState& state) {
  text::Object out;
  for (const auto& [name, quantity] : to_resource_list(amounts, state.schema)) out[name] = quantity.to_string();
  return out;
}

text::Object amounts_of(std::span<const model::Amount> cells, const ClusterState& state) {
  model::ResourceVec amounts;
  for (size_t i = 0; i < state.schema.size() && i < cells.size(); ++i) amounts.at(model::ResourceId(i)) = cells[i];
  return amounts_of(amounts, state);
}

template <class Id>
std::vector<Id> living(size_t rows, const auto& row, const auto& name) {
  std::vector<Id> ids;
  for (size_t i = 0; i < rows; ++i) {
    if (row(Id(i)).alive) ids.emplace_back(i);
  }
  std::ranges::sort(ids, {}, [&](Id id) { return std::string_view(name(row(id))); });
  return ids;
}

std::vector<JobId> jobs_by_id(const ClusterState& state) {
  return living<JobId>(
      state.job_rows(), [&](JobId id) -> const model::Job& { return state.job(id); },
      [](const model::Job& job) -> const std::string& { return job.id; });
}

std::vector<QueueId> queues_by_name(const ClusterState& state) {
  return living<QueueId>(
      state.queue_rows(), [&](QueueId id) -> const model::Queue& { return state.queue(id); },
      [](const model::Queue& queue) -> const std::string& { return queue.name; });
}

text::Value node_value(model::NodeId id, const ClusterState& state) {
  const model::Node& node = state.node(id);
  std::vector<std::string> pods;
  for (const TaskId task : node.tasks) pods.push_back(key_of(state, task));
  std::ranges::sort(pods);
  model::ResourceVec used;
  for (size_t r = 0; r < state.schema.size(); ++r) used.at(model::ResourceId(r)) = state.used(id, model::ResourceId(r));
  return text::Object{{"name", node.name},
                      {"unschedulable", node.unschedulable},
                      {"allocatable", amounts_of(state.allocatable(id), state)},
                      {"used", amounts_of(used, state)},
                      {"idle", amounts_of(state.idle(id), state)},
                      {"releasing", amounts_of(state.releasing(id), state)},
                      {"pods", text::Array(pods.begin(), pods.end())}};
}

text::Value task_value(TaskId id, const ClusterState& state) {
  const model::Task& task = state.task(id);
  text::Object out{{"name", key_of(state, id)}, {"uid", task.uid}, {"status", to_string(task.status)}};
  if (task.node.valid()) out["node"] = state.node(task.node).name;
  if (task.gated) out["gated"] = true;
  return out;
}

text::Value job_value(const model::Job& job, const ClusterState& state) {
  text::Array conditions;
  for (const model::Condition& condition : job.status.conditions) {
    conditions.push_back(text::Object{{"type", condition.type},
                                      {"status", condition.status},
                                      {"reason", condition.reason},
                                      {"message", condition.message}});
  }
  std::vector<TaskId> tasks = job.tasks;
  std::ranges::sort(tasks, {}, [&](TaskId id) { return std::string_view(state.task(id).name); });
  text::Array listed;
  for (const TaskId task : tasks) listed.push_back(task_value(task, state));
  return text::Object{{"name", job.id},
                      {"uid", job.uid},
                      {"hasPodGroup", job.has_pod_group},
                      {"queue", job.queue},
                      {"phase", to_string(job.status.phase)},
                      {"minAvailable", job.min_available},
                      {"priority", job.priority},
                      {"allocated", amounts_of(job.allocated, state)},
                      {"pending", amounts_of(job.pending, state)},
                      {"conditions", std::move(conditions)},
                      {"tasks", std::move(listed)}};
}

text::Array queue_values(const ClusterState& state) {
  const auto allocated = allocated_by_queue(state);
  text::Array out;
  for (const QueueId id : queues_by_name(state)) {
    const model::Queue& queue = state.queue(id);
    out.push_back(text::Object{{"name", queue.name},
                               {"parent", queue.parent},
                               {"weight", queue.weight},
                               {"open", queue.state == model::QueueState::Open},
                               {"allocated", amounts_of(allocated[id], state)},
                               {"capability", amounts_of(queue.capability.amount, state)},
                               {"deserved", amounts_of(queue.deserved.amount, state)},
                               {"guarantee", amounts_of(queue.guarantee.amount, state)}});
  }
  return out;
}

}  // namespace

text::Value dump_of(const ClusterState& state, const SchedulerCounters& counters, Instant now) {
  text::Array nodes, jobs;
  for (const model::NodeId id : state.nodes_by_name()) nodes.push_back(node_value(id, state));
  for (const JobId id : jobs_by_id(state)) jobs.push_back(job_value(state.job(id), state));
  return text::Object{{"time", text::format_time(now)},
                      {"figures", text::Object{{"cycles", counters.cycles},
                                               {"binds", counters.binds},
                                               {"evictions", counters.evictions},
                                               {"refusedWrites", counters.refused},
                                               {"unsureWrites", counters.unsure},
                                               {"badObjects", counters.bad_objects}}},
                      {"nodes", std::move(nodes)},
                      {"queues", queue_values(state)},
                      {"jobs", std::move(jobs)}};
}

std::vector<std::string> dump_lines(const ClusterState& state, const SchedulerCounters& counters) {
  std::vector<std::string> lines;
  const std::vector<JobId> jobs = jobs_by_id(state);
  lines.push_back(fmt::format("state: {} nodes, {} jobs, {} cycles, {} binds, {} evictions",
                              state.nodes_by_name().size(), jobs.size(), counters.cycles, counters.binds,
                              counters.evictions));
  for (const JobId id : jobs) {
    if (lines.size() >= kMaxDumpLines) break;
    const model::Job& job = state.job(id);
    const int32_t waiting = job.count(model::TaskStatus::Pending);
    if (waiting == 0) continue;
    const auto why = std::ranges::find(job.status.conditions, "Unschedulable", &model::Condition::type);
    const std::string reason =
        why == job.status.conditions.end() ? "" : fmt::format(": {}: {}", why->reason, why->message);
    lines.push_back(fmt::format("job {} in queue {}, {}: {} of {} tasks wait{}", job.id, job.queue,
                                to_string(job.status.phase), waiting, job.tasks.size(), reason));
  }
  return lines;
}

}  // namespace basalt::scheduler
