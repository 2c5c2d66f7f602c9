#include "tests/property/invariants.h"

#include <algorithm>
#include <set>

#include "engine/model/readiness.h"
#include "engine/model/real_vec.h"

namespace basalt::property {

namespace {

using model::JobId;
using model::NodeId;
using model::QueueId;
using model::ResourceId;
using model::TaskId;
using model::TaskStatus;

constexpr size_t kMaxDepth = 16;  // of nested queues; a longer chain is a cycle

// The queue and those above it.
std::vector<QueueId> with_ancestors(const model::ClusterState& state, QueueId queue) {
  std::vector<QueueId> chain = {queue};
  while (chain.size() < kMaxDepth && !state.queue(chain.back()).parent.empty()) {
    const QueueId parent = state.find_queue(state.queue(chain.back()).parent);
    if (!parent.valid()) break;
    chain.push_back(parent);
  }
  return chain;
}

// What jobs of the queue hold; with `subtree`, those of queues below it too.
model::ResourceVec held_by(const model::ClusterState& state, QueueId queue, bool subtree) {
  model::ResourceVec sum;
  for (size_t j = 0; j < state.job_rows(); ++j) {
    const model::Job& job = state.job(JobId(j));
    if (!job.schedulable()) continue;
    const std::vector<QueueId> chain = with_ancestors(state, job.queue_id);
    const bool below = subtree && std::find(chain.begin(), chain.end(), queue) != chain.end();
    if (below || job.queue_id == queue) sum.add(job.allocated);
  }
  return sum;
}

bool is_hierarchical(const RandomPolicy& policy) {
  for (const auto& plugin : policy.built.plugins) {
    if (plugin.name == "capacity") return plugin.flags[static_cast<size_t>(engine::PluginFlag::Hierarchy)];
  }
  return false;
}

std::string short_of(const model::ClusterState& state, NodeId node, ResourceId resource, TaskId task) {
  return "node " + state.node(node).name + " lacks " + std::string(state.schema.name(resource)) + " for " +
         state.task(task).uid;
}

// A task of the same job was evicted.
bool lost_a_task(const AfterCycle& after, TaskId task) {
  const auto& evicts = after.result.decisions.evicts;
  return std::any_of(evicts.begin(), evicts.end(), [&](const engine::Evict& evict) {
    return after.state.task(evict.task).job == after.state.task(task).job;
  });
}

// When everything being deleted is gone, the pods for which something was evicted fit, together with all others that
// were promised a place there. Binds may take idle room from under a promise, as in Volcano, so where a bind may have
// come later only nodes without binds are looked at.
std::string too_much_promised(const AfterCycle& after) {
  const model::ClusterState& state = after.state;
  std::map<NodeId, model::ResourceVec> promised;
  for (const engine::Pipelined& held : after.result.decisions.pipelined) {
    promised[held.node].add(state.shape_of(held.task).request);
  }
  std::set<NodeId> bound;
  for (const engine::Bind& bind : after.result.decisions.binds) bound.insert(bind.node);
  for (const engine::Pipelined& held : after.result.decisions.pipelined) {
    if (!held.evicted || (binds_after_evicting(after.policy) && bound.contains(held.node))) continue;
    for (const auto& [id, amount] : state.shape_of(held.task).request) {
      if (amount <= 0 || id == model::kPods) continue;
      if (promised[held.node][id] > state.future_idle(held.node)[id.index()]) {
        return "too much promised: " + short_of(state, held.node, id, held.task);
      }
    }
  }
  return "";
}

}  // namespace

bool binds_after_evicting(const RandomPolicy& policy) {
  const auto& actions = policy.spec.actions;
  const auto last_bind = std::find(actions.begin(), actions.end(), "allocate");
  return std::any_of(actions.begin(), last_bind,
                     [](const std::string& name) { return name == "preempt" || name == "reclaim"; });
}

std::string nothing_oversubscribed(const AfterCycle& after) {
  const model::ClusterState& state = after.state;
  for (const auto& [task, node] : after.result.decisions.binds) {
    const model::PodShape& shape = state.shape_of(task);
    for (const auto& [id, amount] : shape.request) {
      if (id == model::kPods && !after.policy.has("predicates")) continue;  // nobody counts best-effort pods then
      if (amount > 0 && state.idle(node)[id.index()] < 0) return short_of(state, node, id, task);
    }
  }
  return too_much_promised(after);
}

std::string no_gang_half_placed(const AfterCycle& after) {
  if (!after.policy.has("gang")) return "";
  for (const auto& [task, node] : after.result.decisions.binds) {
    const model::Job& job = after.state.job(after.state.task(task).job);
    const std::string about = " of job " + job.id + " after binding " + after.state.task(task).uid;
    // Evictions: gang protects the total, not roles and sub-groups; under Volcano's victim rule it may not be asked.
    const bool lost_some = lost_a_task(after, task);
    if (lost_some && after.policy.built.uses_first_tier()) continue;
    if (!model::gang_ready(job)) return "minimum" + about;
    if (lost_some) continue;
    if (!model::roles_ready(job)) return "role minimum" + about;
    if (!model::sub_groups_ready(job)) return "sub-group minimum" + about;
  }
  return "";
}

std::string no_queue_above_capability(const AfterCycle& after) {
  if (!after.policy.has("capacity") && !after.policy.has("proportion")) return "";
  const model::ClusterState& state = after.state;
  const bool tree = is_hierarchical(after.policy);
  for (const auto& [task, node] : after.result.decisions.binds) {
    const QueueId own = state.job(state.task(task).job).queue_id;
    for (const QueueId queue : tree ? with_ancestors(state, own) : std::vector<QueueId>{own}) {
      const model::Quota& limit = state.queue(queue).capability;
      const model::ResourceVec held = held_by(state, queue, tree);
      for (const auto& [id, amount] : state.shape_of(task).request) {
        if (amount <= 0 || id == model::kPods || !limit.has(id) || limit[id] == 0) continue;
        if (static_cast<double>(held[id]) <= static_cast<double>(limit[id]) + model::kEps) continue;
        return "queue " + state.queue(queue).name + " above its capability of " + std::string(state.schema.name(id)) +
               " after binding " + state.task(task).uid;
      }
    }
  }
  return "";
}

std::string evictions_have_their_preemptor(const AfterCycle& after) {
  const model::ClusterState& state = after.state;
  std::map<TaskId, const engine::Pipelined*> places;
  for (const engine::Pipelined& held : after.result.decisions.pipelined) places[held.task] = &held;
  std::set<TaskId> victims;
  for (const engine::Evict& evict : after.result.decisions.evicts) {
    const std::string about = state.task(evict.task).uid + " for " + state.task(evict.preemptor).uid;
    if (!victims.insert(evict.task).second) return "evicted twice: " + about;
    const auto place = places.find(evict.preemptor);
    if (place == places.end()) return "evicted for a pod that got no place: " + about;
    if (place->second->node != state.task(evict.task).node) return "evicted on another node: " + about;
    if (!place->second->evicted) return "the preemptor is not marked as nominated: " + about;
    if (state.task(evict.task).status != TaskStatus::Releasing) return "the victim is not releasing: " + about;
    if (!state.task(evict.task).preemptable) return "not preemptable: " + about;
  }
  for (const engine::Pipelined& held : after.result.decisions.pipelined) {
    const bool named_as_preemptor =
        std::any_of(after.result.decisions.evicts.begin(), after.result.decisions.evicts.end(),
                    [&](const engine::Evict& evict) { return evict.preemptor == held.task; });
    if (held.evicted && !named_as_preemptor) return "nothing was evicted for " + state.task(held.task).uid;
  }
  return "";
}

std::string nothing_tentative_left(const AfterCycle& after) {
  for (size_t t = 0; t < after.state.task_rows(); ++t) {
    const model::Task& task = after.state.task(TaskId(t));
    if (!task.alive) continue;
    if (task.status == TaskStatus::Allocated || task.status == TaskStatus::Pipelined) {
      return task.uid + " is still " + std::string(to_string(task.status));
    }
    if (task.node.valid() && !task.in_view) return task.uid + " is on a node but not in its view";
  }
  return "";
}

std::string broken_invariant(const AfterCycle& after) {
  if (std::string wrong = after.state.verify(); !wrong.empty()) return "verify: " + wrong;
  for (const auto holds : {nothing_oversubscribed, no_gang_half_placed, no_queue_above_capability,
                           evictions_have_their_preemptor, nothing_tentative_left}) {
    if (std::string wrong = holds(after); !wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace basalt::property
