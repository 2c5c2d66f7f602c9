#include "engine/plugins/capacity/queue_tree.h"

#include <algorithm>
#include <string_view>

namespace basalt::plugins {

using model::Absent;
using model::ClusterState;
using model::JobId;
using model::kCpu;
using model::kMemory;
using model::QueueId;
using model::RealVec;
using model::ResourceId;

namespace {

constexpr std::string_view kRoot = "root";

std::string_view parent_of(const model::Queue& queue) { return queue.parent.empty() ? kRoot : queue.parent; }

// Fills ancestors from the root down; false if the way up does not end there.
bool find_ancestors(const ClusterState& state, QueueId root, QueueId queue, std::vector<QueueId>& ancestors) {
  for (QueueId at = queue; at != root;) {
    at = state.find_queue(parent_of(state.queue(at)));
    if (!at.valid() || ancestors.size() >= state.queue_rows()) {
      ancestors.clear();
      return false;
    }
    ancestors.push_back(at);
  }
  std::reverse(ancestors.begin(), ancestors.end());
  return true;
}

// Root's capability: whatever it does not set is unlimited.
void open_root(const ClusterState& state, QueueNode& root) {
  for (const ResourceId id : {kCpu, kMemory}) {
    if (root.capability[id] <= 0) root.capability.set(id, model::kUnlimited);
  }
  const RealVec whole(state.total_allocatable());
  for (size_t i = 0; i < whole.size(); ++i) {
    if (const ResourceId id(i); whole.has(id) && !root.capability.has(id)) root.capability.set(id, model::kUnlimited);
  }
  root.limit = root.capability;
}

void inherit_capability(const RealVec& parent, RealVec& capability) {
  for (size_t i = 0; i < parent.size(); ++i) {
    const ResourceId id(i);
    const bool always = id == kCpu || id == kMemory;
    if (always ? capability[id] <= 0 : parent.has(id) && !capability.has(id)) capability.set(id, parent[id]);
  }
}

// Limits of the children of one queue; its own are final.
void limit_children(QueueNode& parent, bool is_root, const std::vector<QueueId>& children, QueueNodes& nodes) {
  RealVec guarantees;
  RealVec deserved;
  for (const QueueId id : children) {
    QueueNode& child = nodes[id];
    child.deserved.raise_to(child.guarantee);
    deserved.add(child.deserved);
    guarantees.add(child.guarantee);
    inherit_capability(parent.capability, child.capability);
  }
  if (is_root) {
    parent.guarantee = guarantees;
    parent.deserved = deserved;
  }
  const RealVec free = model::exceeded_part(parent.limit, guarantees);
  for (const QueueId id : children) {
    QueueNode& child = nodes[id];
    child.limit = free;
    child.limit.add(child.guarantee);
    child.limit.cap_by(child.capability, Absent::Unlimited);
  }
}

void charge_jobs(const ClusterState& state, std::span<const JobId> jobs, QueueNodes& nodes) {
  for (const JobId id : jobs) {
    const model::Job& job = state.job(id);
    nodes[job.queue_id].present = true;
    nodes[job.queue_id].usage.charge(job);
  }
}

// Every queue with its place in the tree and, in `children`, the queues below it; parents come before children in the
// returned order.
std::vector<QueueId> place_queues(const ClusterState& state, QueueNodes& nodes,
                                  IdVector<QueueId, std::vector<QueueId>>& children) {
  const QueueId root = state.find_queue(kRoot);
  std::vector<QueueId> order;
  for (size_t q = 0; q < nodes.size(); ++q) {
    const QueueId id(q);
    const model::Queue& queue = state.queue(id);
    if (!queue.alive) continue;
    QueueNode& node = nodes[id];
    node.present = true;
    node.guarantee = RealVec(queue.guarantee);
    node.deserved = RealVec(queue.deserved);
    node.capability = RealVec(queue.capability);
    node.cut_off = !root.valid() || !find_ancestors(state, root, id, node.ancestors);
    if (node.cut_off) continue;
    order.push_back(id);
    if (id != root) children[node.ancestors.back()].push_back(id);
  }
  std::sort(order.begin(), order.end(), [&](QueueId a, QueueId b) {
    if (nodes[a].ancestors.size() != nodes[b].ancestors.size()) {
      return nodes[a].ancestors.size() < nodes[b].ancestors.size();
    }
    return state.queue(a).name < state.queue(b).name;
  });
  return order;
}

}  // namespace

void QueueNode::settle() {
  whole = model::DominantShare(deserved);
  best_effort = deserved.is_empty();
  update_share();
  Fingerprint print;
  model::mix(print, limit);
  model::mix(print, deserved);
  limits_print = print.value();
}

QueueNodes flat_queues(const ClusterState& state, std::span<const JobId> jobs) {
  QueueNodes nodes(state.queue_rows());
  charge_jobs(state, jobs, nodes);
  const RealVec whole(state.total_allocatable());
  RealVec guarantees;
  for (size_t q = 0; q < nodes.size(); ++q) {
    const model::Queue& queue = state.queue(QueueId(q));
    if (queue.alive) guarantees.add(RealVec(queue.guarantee));
  }
  for (size_t q = 0; q < nodes.size(); ++q) {
    QueueNode& node = nodes[QueueId(q)];
    if (!node.present) continue;
    const model::Queue& queue = state.queue(QueueId(q));
    node.guarantee = RealVec(queue.guarantee);
    node.limit = model::real_capability(whole, guarantees, queue);
    node.deserved = RealVec(queue.deserved);
    node.deserved.cap_by(node.limit, Absent::Unlimited);
    node.deserved.raise_to(node.guarantee);
    node.settle();
  }
  return nodes;
}

QueueNodes queue_tree(const ClusterState& state, std::span<const JobId> jobs) {
  QueueNodes nodes(state.queue_rows());
  IdVector<QueueId, std::vector<QueueId>> children(state.queue_rows());
  const std::vector<QueueId> order = place_queues(state, nodes, children);
  charge_jobs(state, jobs, nodes);
  if (!order.empty()) open_root(state, nodes[order.front()]);
  for (const QueueId id : order) {
    QueueNode& node = nodes[id];
    node.leaf = children[id].empty();
    limit_children(node, node.ancestors.empty(), children[id], nodes);
  }
  // Children first: their sums are complete when they go to the parent.
  for (auto id = order.rbegin(); id != order.rend(); ++id) {
    if (!nodes[*id].ancestors.empty()) nodes[nodes[*id].ancestors.back()].usage.add(nodes[*id].usage);
  }
  for (QueueNode& node : nodes) {
    if (node.present) node.settle();
  }
  return nodes;
}

size_t common_level(const QueueNode& a, const QueueNode& b) {
  const size_t depth = std::min(a.ancestors.size(), b.ancestors.size());
  size_t level = 0;
  while (level + 1 < depth && a.ancestors[level + 1] == b.ancestors[level + 1]) ++level;
  return level;
}

}  // namespace basalt::plugins
