// What will never be, as long as the cluster and its queues are what they are.
#include <fmt/format.h>

#include <algorithm>

#include "control/scheduler/state/wait_text.h"
#include "control/scheduler/state/worst_dimension.h"

namespace basalt::state {
namespace {

using model::Amount;
using model::ResourceId;

size_t place_of(model::DemandSpan request, ResourceId id) {
  const auto at = std::find_if(request.begin(), request.end(), [&](const auto& entry) { return entry.id == id; });
  return static_cast<size_t>(at - request.begin());
}

}  // namespace

WaitText::Answer WaitText::never(const Ask& ask) {
  for (const PodsNeeded& pods : ask.need.pods) {
    if (Answer answer = pod_too_large(pods)) return answer;
    if (Answer answer = too_few_for_ports(pods)) return answer;
  }
  if (Answer answer = unborn_pod_too_large(ask)) return answer;
  if (Answer answer = cluster_too_small(ask)) return answer;
  if (ask.need.pods.size() > 1) {
    if (const auto words = mixed_.never(ask.need.pods)) {
      return wait(WaitReason::NeverFits, *words + std::string(kForever));
    }
  }
  return queue_too_small(ask);
}

WaitText::Answer WaitText::pod_too_large(const PodsNeeded& pods) {
  const ShapeRoom& room = rooms_.of(pods.shape);
  const model::DemandSpan request = state_.shapes[pods.shape].request;
  const std::string which = room.possible == room.nodes ? "" : " that matches";
  WorstDimension sum(state_.schema), node(state_.schema);
  for (size_t d = 0; d < request.size(); ++d) {
    sum.consider(request[d].id, request[d].amount * pods.count, room.dims[d].has_ever);
    node.consider(request[d].id, request[d].amount, room.dims[d].largest_node);
  }
  if (sum) {
    const size_t d = place_of(request, sum.id());
    return wait(WaitReason::NeverFits,
                fmt::format("needs {}, {} {}{}", words(sum.id(), request[d].amount * pods.count),
                            nodes_words(room.possible, room.nodes), number(sum.id(), room.dims[d].has_ever), kForever));
  }
  if (node) {
    const size_t d = place_of(request, node.id());
    return wait(WaitReason::NeverFits,
                fmt::format("needs {} in one pod, the largest node{} has {}{}", words(node.id(), request[d].amount),
                            which, number(node.id(), room.dims[d].largest_node), kForever));
  }
  if (room.pods_ever >= pods.count) return std::nullopt;
  const std::string pod = request_words(state_.schema, request);
  if (room.pods_ever == 0) {
    return wait(WaitReason::NeverFits,
                fmt::format("needs {} in one pod, no node{} has all of it{}", pod, which, kForever));
  }
  return wait(WaitReason::NeverFits, fmt::format("needs {} × {}, the empty cluster has room for {} such pods{}",
                                                 pods.count, pod, room.pods_ever, kForever));
}

// Before there are pods: of so many that need so much together, one needs its share at least. That is sure where each
// of them is needed: the minimums of the roles make up the gang's.
WaitText::Answer WaitText::unborn_pod_too_large(const Ask& ask) const {
  const Amount pods = ask.job.min_available;
  const bool all_needed = ask.last.minimum_is_exact && ask.job.min_task_total == pods;
  if (!all_needed || !ask.need.pods.empty() || !ask.job.tasks.empty() || pods <= 0) return std::nullopt;
  WorstDimension node(state_.schema);
  std::vector<Amount> largest(ask.need.total.size(), 0);
  for (const model::NodeId id : state_.nodes_by_name()) {
    const std::span<const Amount> has = state_.allocatable(id);
    for (size_t r = 0; r < std::min(has.size(), largest.size()); ++r) largest[r] = std::max(largest[r], has[r]);
  }
  for (size_t r = 0; r < largest.size(); ++r) {
    const ResourceId id(r);
    if (id == model::kPods) continue;
    node.consider(id, (ask.need.total[id] + pods - 1) / pods, largest[r]);
  }
  if (!node) return std::nullopt;
  const std::string where = pods == 1 ? "one pod" : fmt::format("{} pods", pods);
  return wait(WaitReason::NeverFits,
              fmt::format("needs {} in {}, the largest node has {}{}", words(node.id(), ask.need.total[node.id()]),
                          where, number(node.id(), largest[node.id().index()]), kForever));
}

WaitText::Answer WaitText::cluster_too_small(const Ask& ask) const {
  WorstDimension cluster(state_.schema);
  for (size_t r = 0; r < ask.need.total.size(); ++r) {
    const ResourceId id(r);
    cluster.consider(id, ask.need.total[id] > 0 ? ask.need.total[id] + ask.job.allocated[id] : 0,
                     state_.total_allocatable()[id]);
  }
  if (!cluster) return std::nullopt;
  return wait(WaitReason::NeverFits,
              fmt::format("needs {}, the cluster has {}{}",
                          words(cluster.id(), ask.need.total[cluster.id()] + ask.job.allocated[cluster.id()]),
                          number(cluster.id(), state_.total_allocatable()[cluster.id()]), kForever));
}

WaitText::Answer WaitText::queue_too_small(const Ask& ask) const {
  for (const engine::QueueLimit& limit : limits_) {
    if (limit.queue != ask.job.queue_id) continue;
    WorstDimension queue(state_.schema);
    for (size_t r = 0; r < ask.need.total.size(); ++r) {
      const ResourceId id(r);
      if (id == model::kPods || ask.need.total[id] == 0) continue;
      queue.consider(id, ask.need.total[id] + ask.job.allocated[id], whole(limit.ever[id]));
    }
    if (!queue) continue;
    return wait(WaitReason::NeverFits,
                fmt::format("needs {}, queue {} may hold {}{}",
                            words(queue.id(), ask.need.total[queue.id()] + ask.job.allocated[queue.id()]),
                            state_.queue(limit.at).name, number(queue.id(), whole(limit.ever[queue.id()])), kForever));
  }
  return std::nullopt;
}

}  // namespace basalt::state
