#include "control/scheduler/state/wait_facts.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string_view>

#include "control/scheduler/state/keys.h"
#include "engine/model/host_ports.h"
#include "engine/model/node_affinity.h"
#include "engine/model/readiness.h"

namespace basalt::state {
namespace {

using model::Amount;
using model::TaskStatus;

constexpr std::string_view kUnschedulableTaint = "node.kubernetes.io/unschedulable";

// Waiting pods of one role and shape.
struct AlikePods {
  std::string_view role;
  int32_t role_lacks = 0;  // of its minimum
  model::ShapeId shape;
  int32_t count = 0, taken = 0;
};

std::map<std::string_view, Amount> amounts_by_name(const model::ClusterState& state, model::ShapeId shape) {
  std::map<std::string_view, Amount> out;
  for (const auto& [id, amount] : state.shapes[shape].request) out[state.schema.name(id)] = amount;
  return out;
}

std::vector<AlikePods> waiting_pods(const model::ClusterState& state, const model::Job& job) {
  std::vector<AlikePods> out;
  for (const model::TaskId id : job.tasks) {
    const model::Task& task = state.task(id);
    if (task.status != TaskStatus::Pending || (task.gated && !task.only_queue_gate)) continue;
    const model::TaskRole& role = job.roles[task.role_index];
    const std::string_view name = state.names.text(role.name);
    const auto at = std::find_if(out.begin(), out.end(),
                                 [&](const AlikePods& pods) { return pods.role == name && pods.shape == task.shape; });
    if (at == out.end()) {
      out.push_back(
          {.role = name, .role_lacks = role.min - model::ready_tasks(role.counts), .shape = task.shape, .count = 1});
    } else {
      ++at->count;
    }
  }
  return out;
}

// Those that will wait once they are made; the others are counted in `need`.
std::vector<AlikePods> planned_to_wait(const model::ClusterState& state, const model::Job& job,
                                       std::span<const PlannedPods> planned, GangNeed& need) {
  std::vector<AlikePods> out;
  for (const PlannedPods& pods : planned) {
    if (!pods.node_name.empty()) {
      (state.find_node(pods.node_name).valid() ? need.there : need.nowhere) += pods.count;
      continue;
    }
    if (!pods.gates.empty()) {
      need.gated += pods.count;
      need.gates.append(need.gates.empty() ? "" : ", ").append(pods.gates);
      continue;
    }
    const auto role = std::ranges::find_if(
        job.min_task_member, [&](const auto& entry) { return state.names.text(entry.first) == pods.role; });
    out.push_back({.role = pods.role,
                   .role_lacks = role == job.min_task_member.end() ? 0 : role->second,
                   .shape = pods.shape,
                   .count = pods.count});
  }
  return out;
}

// Rows come in no particular order; names and amounts do.
void sort_by_role(const model::ClusterState& state, std::vector<AlikePods>& pods) {
  std::sort(pods.begin(), pods.end(), [&](const AlikePods& a, const AlikePods& b) {
    if (a.role != b.role) return a.role < b.role;
    if (a.count != b.count) return a.count > b.count;
    return amounts_by_name(state, a.shape) < amounts_by_name(state, b.shape);
  });
}

void take(AlikePods& pods, int32_t& missing, int32_t at_most) {
  const int32_t more = std::max(0, std::min({missing, at_most, pods.count - pods.taken}));
  pods.taken += more;
  missing -= more;
}

void add_gates(const model::ClusterState& state, const model::Job& job, GangNeed& need) {
  std::set<std::string_view> names;
  for (const model::TaskId id : job.tasks) {
    const model::Task& task = state.task(id);
    if (task.status != TaskStatus::Pending || !task.gated || task.only_queue_gate) continue;
    ++need.gated;
    std::string_view rest = state.names.text(task.gates);
    while (!rest.empty()) {
      const size_t comma = rest.find(", ");
      if (rest.substr(0, comma) != keys::kHeldGate) names.insert(rest.substr(0, comma));
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 2);
    }
  }
  for (const std::string_view name : names) need.gates.append(need.gates.empty() ? "" : ", ").append(name);
}

void add_pods(const model::ClusterState& state, GangNeed& need, const AlikePods& pods) {
  if (pods.taken == 0) return;
  const auto same = std::find_if(need.pods.begin(), need.pods.end(),
                                 [&](const PodsNeeded& known) { return known.shape == pods.shape; });
  if (same != need.pods.end()) {
    same->count += pods.taken;
  } else {
    need.pods.push_back({.shape = pods.shape, .count = pods.taken});
  }
  for (const auto& [id, amount] : state.shapes[pods.shape].request) need.total.at(id) += amount * pods.taken;
}

int64_t pods_in(model::DemandSpan request, std::span<const Amount> amounts) {
  int64_t most = std::numeric_limits<int64_t>::max();
  for (const auto& [id, amount] : request) {
    if (amount > 0) most = std::min(most, (id.index() < amounts.size() ? amounts[id.index()] : 0) / amount);
  }
  return std::max<int64_t>(0, most);
}

void add_block(DimRoom& dim, Amount free) {
  const auto at = std::find_if(dim.blocks.begin(), dim.blocks.end(), [&](Amount known) { return free > known; });
  if (at == dim.blocks.end()) return;
  std::move_backward(at, dim.blocks.end() - 1, dim.blocks.end());
  *at = free;
}

bool tolerates_cordon(const model::PodShape& shape, const StringPool& names) {
  return std::any_of(shape.tolerations.begin(), shape.tolerations.end(), [&](const model::Toleration& toleration) {
    const std::string_view key = names.text(toleration.key);
    return (key.empty() && toleration.exists) || key == kUnschedulableTaint;
  });
}

// A taint that tells of the node's life, not of what it is for: it comes and goes by itself.
bool is_passing(std::string_view key) {
  static constexpr std::array<std::string_view, 3> kPrefixes = {"node.kubernetes.io/",
                                                                "node.cloudprovider.kubernetes.io/", "karpenter.sh/"};
  static constexpr std::array<std::string_view, 2> kKeys = {"DeletionCandidateOfClusterAutoscaler",
                                                            "ToBeDeletedByClusterAutoscaler"};
  return std::ranges::find(kKeys, key) != kKeys.end() ||
         std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return key.starts_with(prefix); });
}

bool repelled_for_good(const model::PodShape& shape, const model::Node& node, const StringPool& names) {
  return std::ranges::any_of(node.taints, [&](const model::Taint& taint) {
    return taint.effect != model::TaintEffect::PreferNoSchedule && !is_passing(names.text(taint.key)) &&
           !model::tolerates(shape.tolerations, taint);
  });
}

void add_node(const model::ClusterState& state, const model::PodShape& shape, model::NodeId id, const NodeUse& use,
              ShapeRoom& room) {
  const std::span<const Amount> has = state.allocatable(id), idle = state.idle(id);
  if (use.takes()) room.pods_now += pods_in(shape.request, idle);
  room.pods_ever += pods_in(shape.request, has);
  for (size_t d = 0; d < shape.request.size(); ++d) {
    const size_t at = shape.request[d].id.index();
    const Amount wanted = shape.request[d].amount;
    const auto of = [at](std::span<const Amount> row) { return at < row.size() ? row[at] : 0; };
    DimRoom& dim = room.dims[d];
    dim.has_ever += of(has);
    dim.largest_node = std::max(dim.largest_node, of(has));
    if (!use.takes()) continue;
    const Amount free = std::max<Amount>(0, of(idle));
    dim.has += of(has);
    dim.free += free;
    if (wanted > 0) dim.pods_now += free / wanted;
    add_block(dim, free);
  }
}

// Where a node counts that has several faults: a lasting one comes first.
int32_t& count_of(const NodeUse& use, ShapeRoom& room) {
  if (use.mismatched) return room.mismatched;
  if (use.tainted && !use.possible) return room.tainted;
  if (use.cordoned) return room.cordoned;
  return use.tainted ? room.tainted : room.matching;
}

ShapeRoom room_of(const model::ClusterState& state, const model::PodShape& shape) {
  ShapeRoom room;
  room.dims.resize(shape.request.size());
  const NameId any_ip = state.names.find("0.0.0.0");
  for (const model::NodeId id : state.nodes_by_name()) {
    const NodeUse use = use_of(state, shape, state.node(id));
    ++room.nodes;
    ++count_of(use, room);
    const bool taken = model::any_port_collides(shape.host_ports, state.node(id).view_ports, any_ip);
    if (use.takes() && taken) ++room.ports_taken;
    if (!use.possible) continue;
    ++room.possible;
    add_node(state, shape, id, use, room);
  }
  return room;
}

}  // namespace

NodeUse use_of(const model::ClusterState& state, const model::PodShape& shape, const model::Node& node) {
  NodeUse use;
  use.cordoned = node.unschedulable && !tolerates_cordon(shape, state.names);
  use.tainted = model::repelled_by_taint(shape, node);
  use.mismatched = model::demands_nodes(shape) && !model::matches_required_nodes(shape, node, state.names);
  use.possible = !use.mismatched && (!use.tainted || !repelled_for_good(shape, node, state.names));
  return use;
}

int32_t bound_nowhere(const model::ClusterState& state, const model::Job& job) {
  if (job.count(TaskStatus::Bound) == 0) return 0;
  return static_cast<int32_t>(std::ranges::count_if(job.tasks, [&](model::TaskId id) {
    return state.task(id).status == TaskStatus::Bound && !state.task(id).node.valid();
  }));
}

GangNeed need_of(const model::ClusterState& state, const model::Job& job, std::span<const PlannedPods> planned) {
  GangNeed need;
  const int32_t ready = model::ready_tasks(job.counts);
  need.there = ready;
  std::vector<AlikePods> waiting =
      job.tasks.empty() ? planned_to_wait(state, job, planned, need) : waiting_pods(state, job);
  sort_by_role(state, waiting);
  int32_t missing = std::max(0, job.min_available - need.there);
  for (AlikePods& pods : waiting) {
    if (model::roles_enforced(job)) take(pods, missing, pods.role_lacks);
    need.there += pods.count;
  }
  for (AlikePods& pods : waiting) take(pods, missing, missing);
  for (const AlikePods& pods : waiting) add_pods(state, need, pods);
  if ((need.pods.empty() || job.tasks.empty()) && job.min_resources) need.total = job.min_resources->amount;
  if (job.counts[model::slot(TaskStatus::Pending)] > 0) add_gates(state, job, need);
  const int32_t stranded = bound_nowhere(state, job);
  need.there -= stranded;
  need.nowhere += stranded;
  return need;
}

const ShapeRoom& ShapeRoomCache::of(model::ShapeId shape) {
  const auto known = known_.find(shape);
  if (known != known_.end()) return known->second;
  return known_.emplace(shape, room_of(state_, state_.shapes[shape])).first->second;
}

}  // namespace basalt::state
