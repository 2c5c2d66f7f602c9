// Which running tasks of other queues the capacity plugin gives up to a reclaimer.
//
// Candidates are looked at in victim order, each against what the victims before it leave. One is a victim if
//  1. it has a dimension in common with the reclaimer's request, pods aside;
//  2. its queue keeps its guarantee without it;
//  3. its queue holds more than it deserves in a dimension of the task, or deserves nothing of any of them. The latter
//     is not enough between queues that share an ancestor within ancestorReclaimLevel if the reclaimer's queue deserves
//     nothing of what the reclaimer requests either: then neither has a claim on the other;
//  4. test 3 holds also for each of its queue's ancestors within ancestorReclaimLevel that the reclaimer's queue does
//     not have at the same level.
#include "engine/core/victim_order.h"
#include "engine/plugins/capacity/capacity.h"

namespace basalt::plugins {

using engine::Vote;
using model::QueueId;
using model::TaskId;

Vote Capacity::reclaimable(TaskId reclaimer, std::span<const TaskId> candidates, std::vector<TaskId>& victims) {
  const QueueId home = queue_of(reclaimer);
  if (!home.valid() || !nodes_[home].present || nodes_[home].cut_off) return Vote::Reject;
  Balances balances;
  for (const TaskId candidate : engine::in_victim_order(*session_, reclaimer, candidates)) {
    if (queue_of(candidate).valid() && is_victim(reclaimer, candidate, balances)) victims.push_back(candidate);
  }
  return Vote::Permit;
}

model::ResourceVec& Capacity::balance(QueueId queue, Balances& balances) const {
  return balances.try_emplace(queue, nodes_[queue].usage.allocated).first->second;
}

bool Capacity::share_an_ancestor(const QueueNode& a, const QueueNode& b) const {
  for (size_t i = 1; i <= std::min(ancestor_level_, a.ancestors.size()); ++i) {
    const QueueId left = ancestor_at(a, i);
    for (size_t j = 1; left.valid() && j <= std::min(ancestor_level_, b.ancestors.size()); ++j) {
      if (ancestor_at(b, j) == left) return true;
    }
  }
  return false;
}

bool Capacity::is_victim(TaskId reclaimer, TaskId candidate, Balances& balances) const {
  const QueueId queue = queue_of(candidate);
  const QueueNode& node = nodes_[queue];
  const QueueNode& home = nodes_[queue_of(reclaimer)];
  const model::DemandSpan wanted = session_->state.shape_of(reclaimer).request;
  const model::DemandSpan request = session_->state.shape_of(candidate).request;
  if (node.cut_off || !model::shares_dimension(request, wanted)) return false;

  model::ResourceVec without = balance(queue, balances);
  without.sub(request);
  if (!model::less_equal(node.guarantee, without)) return false;

  if (!model::shares_dimension(request, node.deserved)) {
    if (share_an_ancestor(home, node) && !model::shares_dimension(wanted, home.deserved)) return false;
  } else if (!model::exceeds_relevant(balance(queue, balances), node.deserved, request)) {
    return false;
  }

  std::vector<QueueId> checked;
  for (size_t level = 1; level <= std::min(ancestor_level_, node.ancestors.size()); ++level) {
    const QueueId ancestor = ancestor_at(node, level);
    if (!ancestor.valid() || ancestor == ancestor_at(home, level)) continue;
    checked.push_back(ancestor);
    const model::RealVec& deserved = nodes_[ancestor].deserved;
    if (model::shares_dimension(request, deserved) &&
        !model::exceeds_relevant(balance(ancestor, balances), deserved, request)) {
      return false;
    }
  }
  balance(queue, balances).sub(request);
  for (const QueueId ancestor : checked) balance(ancestor, balances).sub(request);
  return true;
}

}  // namespace basalt::plugins
