#include "engine/plugins/capacity/capacity.h"

#include <algorithm>

namespace basalt::plugins {

using engine::HookTable;
using engine::Order;
using engine::PluginFlag;
using engine::Vote;
using model::JobId;
using model::QueueId;
using model::TaskId;

namespace {

// By share; on equal share the queue that deserves something comes first.
Order by_share(const QueueNode& a, const QueueNode& b) {
  if (a.share != b.share) return a.share < b.share ? Order::less : Order::greater;
  if (a.best_effort == b.best_effort) return Order::equivalent;
  return b.best_effort ? Order::less : Order::greater;
}

}  // namespace

Result<Capacity> Capacity::make(const engine::Arguments& arguments) {
  const Result<int64_t> level = arguments.get_int("ancestorReclaimLevel", 0);
  if (!level) return std::unexpected(level.error());
  for (const std::string_view key :
       {"capacity.DynamicResourceAllocationEnable", "capacity.DRAConsumableCapacityEnable"}) {
    if (const Result<bool> given = arguments.get_bool(key, false); !given) return std::unexpected(given.error());
  }
  const Result<bool> stale = arguments.get_bool("staleAncestorShares", false);
  if (!stale) return std::unexpected(stale.error());
  Capacity made;
  made.stale_ancestor_shares_ = *stale;
  made.ancestor_level_ = static_cast<size_t>(std::max<int64_t>(0, *level));
  return made;
}

void Capacity::open(engine::Session& session, engine::HookBinder& binder) {
  session_ = &session;
  hierarchy_ = binder.enabled(PluginFlag::Hierarchy);
  if (!hierarchy_) ancestor_level_ = 0;
  nodes_ = hierarchy_ ? queue_tree(session.state, session.jobs()) : flat_queues(session.state, session.jobs());
  bind(binder);
}

void Capacity::bind(engine::HookBinder& binder) {
  if (hierarchy_) {
    binder.bind<&Capacity::tree_order>(&HookTable::queue_order, *this);
    binder.bind<&Capacity::victim_queue_order>(&HookTable::victim_queue_order, *this);
  } else {
    binder.bind<&Capacity::queue_order>(&HookTable::queue_order, *this);
  }
  binder.bind<&Capacity::allocatable>(&HookTable::allocatable, *this);
  binder.bind<&Capacity::preemptive>(&HookTable::preemptive, *this);
  binder.bind<&Capacity::reclaimable>(&HookTable::reclaimable, *this);
  binder.bind<&Capacity::job_enqueueable>(&HookTable::job_enqueueable, *this);
  binder.bind<&Capacity::job_enqueued>(&HookTable::job_enqueued, *this);
  binder.bind<&Capacity::on_allocate>(&HookTable::on_allocate, *this);
  binder.bind<&Capacity::on_deallocate>(&HookTable::on_deallocate, *this);
  binder.bind<&Capacity::queue_limits>(&HookTable::queue_limits, *this);
  binder.bind<&Capacity::job_inputs>(&HookTable::job_inputs, *this);
}

// ---- orders -----------------------------------------------------------------------------------------------------

Order Capacity::queue_order(QueueId a, QueueId b) {
  const int32_t left = session_->state.queue(a).priority;
  const int32_t right = session_->state.queue(b).priority;
  if (left != right) return left > right ? Order::less : Order::greater;
  return by_share(nodes_[a], nodes_[b]);
}

Order Capacity::tree_order(QueueId a, QueueId b) {
  const int32_t left = session_->state.queue(a).priority;
  const int32_t right = session_->state.queue(b).priority;
  if (left != right) return left > right ? Order::less : Order::greater;
  if (nodes_[a].leaf != nodes_[b].leaf) return nodes_[a].leaf ? Order::less : Order::greater;
  if (!nodes_[a].leaf) return by_share(nodes_[a], nodes_[b]);
  // The branches that part the two.
  const size_t below = common_level(nodes_[a], nodes_[b]) + 1;
  const auto branch = [&](QueueId id) {
    return below < nodes_[id].ancestors.size() ? nodes_[id].ancestors[below] : id;
  };
  return by_share(nodes_[branch(a)], nodes_[branch(b)]);
}

Order Capacity::victim_queue_order(QueueId a, QueueId b, QueueId preemptor) {
  const size_t left = common_level(nodes_[a], nodes_[preemptor]);
  const size_t right = common_level(nodes_[b], nodes_[preemptor]);
  if (left == right) return Order::equivalent;
  return left > right ? Order::less : Order::greater;
}

// ---- room -------------------------------------------------------------------------------------------------------

QueueId Capacity::queue_of(TaskId task) const {
  const JobId job = session_->state.task(task).job;
  if (!job.valid() || !session_->state.job(job).schedulable()) return {};
  return session_->state.job(job).queue_id;
}

bool Capacity::open_for_jobs(QueueId queue) const {
  const QueueNode& node = nodes_[queue];
  return session_->state.queue(queue).state == model::QueueState::Open && node.present && !node.cut_off && node.leaf;
}

bool Capacity::allocatable(QueueId queue, TaskId task) {
  if (!open_for_jobs(queue)) return false;
  const model::DemandSpan request = session_->state.shape_of(task).request;
  const QueueNode& node = nodes_[queue];
  return model::has_room(request, node.usage.allocated, node.limit) &&
         std::all_of(node.ancestors.begin(), node.ancestors.end(), [&](QueueId ancestor) {
           return model::has_room(request, nodes_[ancestor].usage.allocated, nodes_[ancestor].limit);
         });
}

bool Capacity::preemptive(QueueId queue, TaskId task) {
  if (!open_for_jobs(queue)) return false;
  const model::DemandSpan request = session_->state.shape_of(task).request;
  const QueueNode& node = nodes_[queue];
  if (!model::has_room(request, node.usage.allocated, node.limit)) return false;
  if (model::has_some_room(request, node.usage.allocated, node.deserved)) return true;
  for (size_t level = 1; level <= std::min(ancestor_level_, node.ancestors.size()); ++level) {
    const QueueId ancestor = ancestor_at(node, level);
    if (!ancestor.valid()) continue;
    if (model::has_some_room(request, nodes_[ancestor].usage.allocated, nodes_[ancestor].deserved)) return true;
  }
  return false;
}

QueueId Capacity::ancestor_at(const QueueNode& node, size_t level) const {
  if (level == 0 || level >= node.ancestors.size()) return {};
  return node.ancestors[node.ancestors.size() - level];
}

// ---- admission --------------------------------------------------------------------------------------------------

Vote Capacity::job_enqueueable(JobId id) {
  const model::Job& job = session_->state.job(id);
  if (!open_for_jobs(job.queue_id)) return Vote::Reject;
  if (!job.min_resources) return Vote::Permit;
  const QueueNode& node = nodes_[job.queue_id];
  auto exceeded = node.usage.exceeded_with(*job.min_resources, node.limit);
  for (size_t up = node.ancestors.size(); up > 0 && exceeded.empty(); --up) {
    const QueueNode& ancestor = nodes_[node.ancestors[up - 1]];
    exceeded = ancestor.usage.exceeded_with(*job.min_resources, ancestor.limit);
  }
  if (exceeded.empty()) return Vote::Permit;
  session_->refuse_enqueue(id, kName,
                           model::refusal_text("queue resource quota insufficient", "insufficient", std::move(exceeded),
                                               session_->state.schema));
  return Vote::Reject;
}

void Capacity::job_enqueued(JobId id) {
  const model::Job& job = session_->state.job(id);
  QueueNode& node = nodes_[job.queue_id];
  model::add_promised_minimum(job, node.usage.inqueue);
  for (const QueueId ancestor : node.ancestors) model::add_promised_minimum(job, nodes_[ancestor].usage.inqueue);
}

void Capacity::queue_limits(QueueId queue, std::vector<engine::QueueLimit>& limits) {
  const QueueNode& node = nodes_[queue];
  if (!node.present || node.cut_off) return;
  const auto add = [&](QueueId at) {
    limits.push_back({.queue = queue, .at = at, .now = nodes_[at].limit, .ever = nodes_[at].limit});
  };
  add(queue);
  for (size_t up = node.ancestors.size(); up > 0; --up) add(node.ancestors[up - 1]);
}

// ---- accounts ---------------------------------------------------------------------------------------------------

void Capacity::charge(TaskId task, model::Amount sign) {
  const QueueId queue = queue_of(task);
  if (!queue.valid()) return;
  const auto add = [&](QueueNode& node) {
    for (const auto& [id, amount] : session_->state.shape_of(task).request) {
      node.usage.allocated.at(id) += sign * amount;
    }
  };
  add(nodes_[queue]);
  nodes_[queue].update_share();
  for (const QueueId ancestor : nodes_[queue].ancestors) {
    add(nodes_[ancestor]);
    if (!stale_ancestor_shares_) nodes_[ancestor].update_share();
  }
}

void Capacity::on_allocate(TaskId task) { charge(task, +1); }
void Capacity::on_deallocate(TaskId task) { charge(task, -1); }

void Capacity::job_inputs(JobId id, Fingerprint& inputs) {
  const QueueId queue = session_->state.job(id).queue_id;
  const QueueNode& node = nodes_[queue];
  inputs.add(open_for_jobs(queue) ? 1 : 0).add(node.limits_print);
  model::mix(inputs, node.usage.allocated);
  for (const QueueId ancestor : node.ancestors) {
    inputs.add(nodes_[ancestor].limits_print);
    model::mix(inputs, nodes_[ancestor].usage.allocated);
  }
}

}  // namespace basalt::plugins
