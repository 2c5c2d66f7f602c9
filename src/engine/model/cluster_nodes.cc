// Events about nodes and queues, and the order of names.
#include <algorithm>

#include "engine/model/cluster_state.h"

namespace basalt::model {

ClusterState::ClusterState() : schema(names) {}

void ClusterState::event(bool may_free) {
  ++version_;
  if (may_free) ++freed_version_;
}

void ClusterState::widen_tables() {
  for (ResourceMatrix* table : {&allocatable_, &idle_, &future_idle_, &releasing_, &view_requested_}) {
    table->reshape(nodes_.size(), schema.size());
  }
}

NodeId ClusterState::upsert_node(NodeSpec spec) {
  auto [at, is_new] = node_ids_.try_emplace(spec.name, NodeId());
  if (!is_new && static_cast<const NodeSpec&>(nodes_[at->second]) == spec) return at->second;
  if (is_new) {
    if (free_nodes_.empty()) {
      at->second = nodes_.push_back({});
    } else {
      at->second = free_nodes_.back();
      free_nodes_.pop_back();
    }
    ++node_set_version_;
  }
  const NodeId id = at->second;
  widen_tables();
  Node& node = nodes_[id];
  for (size_t r = 0; r < schema.size(); ++r) {
    const ResourceId rid(r);
    const Amount delta = spec.allocatable[rid] - allocatable_.at(id.index(), rid);
    allocatable_.cell(id.index(), rid) += delta;
    idle_.cell(id.index(), rid) += delta;
    future_idle_.cell(id.index(), rid) += delta;
    if (delta != 0) total_allocatable_.at(rid) += delta;
  }
  images.replace(node.images, spec.images);
  static_cast<NodeSpec&>(node) = std::move(spec);
  node.alive = true;
  node.name_id = names.intern(node.name);
  ++node.spec_version;
  touches_.touch(id);
  event(/*may_free=*/true);
  if (is_new) resolve_nominations(node.name_id);
  if (auto waiting = waiting_for_node_.find(node.name); is_new && waiting != waiting_for_node_.end()) {
    const std::vector<TaskId> tasks = std::move(waiting->second);
    waiting_for_node_.erase(waiting);
    for (const TaskId task : tasks) {
      count_in_job(task, -1);
      attach_to_node(task, id, /*in_view=*/true);
      count_in_job(task, +1);
    }
  }
  return id;
}

void ClusterState::remove_node(std::string_view name) {
  auto at = node_ids_.find(std::string(name));
  if (at == node_ids_.end()) return;
  const NodeId id = at->second;
  widen_tables();  // a queue or a refused pod may have named resources that no node has
  std::vector<TaskId>& waiting = waiting_for_node_[at->first];
  while (!nodes_[id].tasks.empty()) {
    const TaskId task = nodes_[id].tasks.back();
    count_in_job(task, -1);
    detach_from_node(task);
    count_in_job(task, +1);
    waiting.push_back(task);
  }
  if (waiting.empty()) waiting_for_node_.erase(at->first);
  for (size_t r = 0; r < schema.size(); ++r) {
    const ResourceId rid(r);
    const Amount had = allocatable_.at(id.index(), rid);
    if (had != 0) total_allocatable_.at(rid) -= had;
    for (ResourceMatrix* table : {&allocatable_, &idle_, &future_idle_, &releasing_, &view_requested_}) {
      table->cell(id.index(), rid) = 0;
    }
  }
  images.replace(nodes_[id].images, {});
  const uint64_t spec_version = nodes_[id].spec_version + 1;
  nodes_[id] = Node();
  nodes_[id].spec_version = spec_version;  // the row's next tenant must not look unchanged
  node_ids_.erase(at);
  resolve_nominations(names.intern(name));
  free_nodes_.push_back(id);
  ++node_set_version_;
  event(/*may_free=*/true);
}

NodeId ClusterState::find_node(std::string_view name) const {
  auto at = node_ids_.find(std::string(name));
  return at == node_ids_.end() ? NodeId() : at->second;
}

std::span<const NodeId> ClusterState::nodes_by_name() const {
  if (ranked_at_ != node_set_version_) {
    by_name_.clear();
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[NodeId(i)].alive) by_name_.push_back(NodeId(i));
    }
    std::sort(by_name_.begin(), by_name_.end(), [this](NodeId a, NodeId b) { return nodes_[a].name < nodes_[b].name; });
    ranked_at_ = node_set_version_;
  }
  return by_name_;
}

QueueId ClusterState::upsert_queue(QueueSpec spec) {
  auto [at, is_new] = queue_ids_.try_emplace(spec.name, QueueId());
  if (!is_new && static_cast<const QueueSpec&>(queues_[at->second]) == spec) return at->second;
  if (is_new) {
    if (free_queues_.empty()) {
      at->second = queues_.push_back({});
    } else {
      at->second = free_queues_.back();
      free_queues_.pop_back();
    }
  }
  Queue& queue = queues_[at->second];
  static_cast<QueueSpec&>(queue) = std::move(spec);
  queue.alive = true;
  event(/*may_free=*/true);
  if (is_new) {
    for (size_t j = 0; j < jobs_.size(); ++j) {
      if (const Job& job = jobs_[JobId(j)]; job.alive && job.has_pod_group && job.queue == queue.name) {
        resolve_queue(JobId(j));
      }
    }
  }
  return at->second;
}

void ClusterState::remove_queue(std::string_view name) {
  auto at = queue_ids_.find(std::string(name));
  if (at == queue_ids_.end()) return;
  const QueueId id = at->second;
  queue_ids_.erase(at);
  queues_[id] = Queue();
  for (Job& job : jobs_) {
    if (job.queue_id == id) job.queue_id = QueueId();
  }
  free_queues_.push_back(id);
  event(/*may_free=*/true);
}

QueueId ClusterState::find_queue(std::string_view name) const {
  auto at = queue_ids_.find(std::string(name));
  return at == queue_ids_.end() ? QueueId() : at->second;
}

}  // namespace basalt::model
