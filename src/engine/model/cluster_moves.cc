// Moves: a task changes status and place. Counts, capacity and views follow; the touch log learns of it.
#include <algorithm>

#include "base/check.h"
#include "engine/model/cluster_state.h"

namespace basalt::model {

void ClusterState::move_task(TaskId id, TaskStatus status, NodeId node, bool in_view) {
  Task& task = tasks_[id];
  count_in_job(id, -1);
  if (task.node.valid()) detach_from_node(id);
  task.status = status;
  if (node.valid()) attach_to_node(id, node, in_view);
  count_in_job(id, +1);
}

void ClusterState::attach_to_node(TaskId id, NodeId node_id, bool in_view) {
  Task& task = tasks_[id];
  Node& node = nodes_[node_id];
  check(node.alive, "a task is placed on a node that exists");
  task.node = node_id;
  task.slot_on_node = static_cast<uint32_t>(node.tasks.size());
  node.tasks.push_back(id);
  account(node_id, task.status, shapes[task.shape].request, +1);
  if (in_view) add_to_view(id);
  touches_.touch(node_id);
}

void ClusterState::detach_from_node(TaskId id) {
  Task& task = tasks_[id];
  const NodeId node_id = task.node;
  Node& node = nodes_[node_id];
  if (task.in_view) remove_from_view(id);
  account(node_id, task.status, shapes[task.shape].request, -1);
  const TaskId moved = node.tasks.back();
  node.tasks[task.slot_on_node] = moved;
  tasks_[moved].slot_on_node = task.slot_on_node;
  node.tasks.pop_back();
  task.node = NodeId();
  touches_.touch(node_id);
}

void ClusterState::account(NodeId node, TaskStatus status, DemandSpan request, Amount sign) {
  const size_t row = node.index();
  for (const auto& [id, amount] : request) {
    const Amount delta = sign * amount;
    if (status == TaskStatus::Pipelined) {
      future_idle_.cell(row, id) -= delta;
      continue;
    }
    idle_.cell(row, id) -= delta;
    total_used_.at(id) += delta;
    if (status == TaskStatus::Releasing) {
      releasing_.cell(row, id) += delta;
    } else {
      future_idle_.cell(row, id) -= delta;
    }
  }
}

void ClusterState::add_to_view(TaskId id) {
  Task& task = tasks_[id];
  Node& node = nodes_[task.node];
  const PodShape& shape = shapes[task.shape];
  task.in_view = true;
  ++node.view_pods;
  node.view_nonzero_cpu_milli += shape.nonzero_cpu_milli;
  node.view_nonzero_memory += shape.nonzero_memory;
  for (const auto& [rid, amount] : shape.request) view_requested_.cell(task.node.index(), rid) += amount;
  node.view_ports.insert(node.view_ports.end(), shape.host_ports.begin(), shape.host_ports.end());
  if (shape.has_pod_terms()) {
    tasks_with_pod_terms_.push_back(id);
    ++pod_terms_version_;
  }
}

void ClusterState::remove_from_view(TaskId id) {
  Task& task = tasks_[id];
  Node& node = nodes_[task.node];
  const PodShape& shape = shapes[task.shape];
  task.in_view = false;
  --node.view_pods;
  node.view_nonzero_cpu_milli -= shape.nonzero_cpu_milli;
  node.view_nonzero_memory -= shape.nonzero_memory;
  for (const auto& [rid, amount] : shape.request) view_requested_.cell(task.node.index(), rid) -= amount;
  for (const HostPort& port : shape.host_ports) {
    auto at = std::find(node.view_ports.begin(), node.view_ports.end(), port);
    check(at != node.view_ports.end(), "a port in the view belongs to a task in the view");
    node.view_ports.erase(at);
  }
  if (shape.has_pod_terms()) {
    auto at = std::find(tasks_with_pod_terms_.rbegin(), tasks_with_pod_terms_.rend(), id);
    check(at != tasks_with_pod_terms_.rend(), "a task with pod terms in the view is listed");
    *at = tasks_with_pod_terms_.back();
    tasks_with_pod_terms_.pop_back();
    ++pod_terms_version_;
  }
}

void ClusterState::count_in_job(TaskId id, int32_t sign) {
  const Task& task = tasks_[id];
  if (!task.job.valid()) return;
  Job& job = jobs_[task.job];
  TaskRole& role = job.roles[task.role_index];
  SubJob& sub = job.sub_jobs[task.sub_job_index];
  const size_t s = slot(task.status);
  job.counts[s] += sign;
  role.counts[s] += sign;
  sub.counts[s] += sign;
  if (task.status == TaskStatus::Pending && task.best_effort) {
    job.pending_best_effort += sign;
    role.pending_best_effort += sign;
    sub.pending_best_effort += sign;
  }
  if (task.status == TaskStatus::Releasing && task.node.valid()) job.releasing_on_node += sign;
  for (const auto& [rid, amount] : shapes[task.shape].request) {
    if (is_allocated(task.status)) {
      job.allocated.at(rid) += sign * amount;
    } else if (task.status == TaskStatus::Pending) {
      job.pending.at(rid) += sign * amount;
    }
  }
}

}  // namespace basalt::model
