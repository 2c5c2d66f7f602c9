#include "control/scheduler/state/wait_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "control/scheduler/state/amount_words.h"
#include "control/scheduler/state/queue_state_words.h"
#include "control/scheduler/state/worst_dimension.h"
#include "engine/model/queue_usage.h"
#include "engine/model/readiness.h"

namespace basalt::state {
namespace {

using model::Amount;
using model::PodGroupPhase;
using model::ResourceId;
using model::TaskStatus;

bool waits(const model::Job& job) {
  if (!job.alive || !job.has_pod_group || job.status.phase == PodGroupPhase::Completed) return false;
  if (model::gang_ready(job) && model::roles_ready(job) && model::sub_groups_ready(job)) return false;
  if (job.count(TaskStatus::Pending) > 0) return true;
  // No pod of it waits: either they are not made yet, or they have ended or are leaving.
  const bool untouched = job.tasks.empty() && job.min_available > 0;
  return untouched && job.status.phase != PodGroupPhase::Running && job.status.phase != PodGroupPhase::Unknown;
}

// Complete but for pods that were made for a node that does not exist.
bool is_stranded(const model::ClusterState& state, const model::Job& job) {
  if (!job.alive || !job.has_pod_group || job.status.phase == PodGroupPhase::Completed) return false;
  const int32_t nowhere = bound_nowhere(state, job);
  return nowhere > 0 && model::ready_tasks(job.counts) - nowhere < job.min_available;
}

// Nodes that would take its pods, if it were not for a cordon or their condition.
std::string away_words(const ShapeRoom& room) {
  const int32_t away = room.possible - room.matching;
  if (away == 0) return "";
  return fmt::format(", {} more {} cordoned or not ready", away, away == 1 ? "is" : "are");
}

}  // namespace

bool is_let_in(const model::Job& job) {
  return job.status.phase != PodGroupPhase::None && job.status.phase != PodGroupPhase::Pending;
}

std::string nodes_words(int32_t some, int32_t all) {
  if (some == all) return "the cluster has";
  return some == 1 ? "the 1 node that matches has" : fmt::format("the {} nodes that match have", some);
}

std::string_view to_string(WaitReason reason) {
  static constexpr std::array<std::string_view, 12> kWords = {
      "NeverFits",   "QueueMissing",  "QueueClosed",    "QueueFull",   "QuotaFull",  "Gated",
      "PodsMissing", "NoNodeMatches", "RoomBeingFreed", "ClusterFull", "Fragmented", "WaitsItsTurn"};
  return kWords[static_cast<size_t>(reason)];
}

WaitText::WaitText(const model::ClusterState& state, std::span<const engine::QueueLimit> limits,
                   const HeldByQueue& held)
    : state_(state), limits_(limits), held_(held), promised_(state.queue_rows()), rooms_(state), mixed_(state) {
  for (size_t j = 0; j < state.job_rows(); ++j) {
    const model::Job& job = state.job(model::JobId(j));
    if (!job.schedulable() || !model::holds_promise(job)) continue;
    model::add_uncovered_minimum(job, promised_[job.queue_id]);
    model::add_uncovered_minimum(job, all_promised_);
  }
}

Amount WaitText::whole(double limit) {
  constexpr Amount kMaxWords = Amount{1} << 62U;  // more is no limit
  constexpr double kHalf = 0.5;
  return limit >= static_cast<double>(kMaxWords) ? kMaxWords : static_cast<Amount>(std::floor(limit + kHalf));
}

std::string WaitText::number(ResourceId id, Amount amount) const {
  return amount_words(state_.schema.name(id), amount);
}

std::string WaitText::words(ResourceId id, Amount amount) const {
  return amount_words(state_.schema.name(id), amount) + " " + std::string(state_.schema.name(id));
}

std::optional<Wait> WaitText::explain(model::JobId id, const LastAttempt& last) {
  const model::Job& job = state_.job(id);
  if (!waits(job) && !is_stranded(state_, job)) return std::nullopt;
  const GangNeed need = need_of(state_, job, is_let_in(job) ? std::span<const PlannedPods>() : last.planned);
  const Ask ask{.job = job, .need = need, .last = last};
  if (Answer answer = queue_closed(ask)) return answer;
  if (Answer answer = node_missing(ask)) return answer;
  if (Answer answer = pods_held(ask)) return answer;
  if (Answer answer = no_node(ask)) return answer;
  if (Answer answer = never(ask)) return answer;
  if (Answer answer = queue_full(ask)) return answer;
  if (!last.refusal.empty() && last.refused_by == "resourcequota") return wait(WaitReason::QuotaFull, last.refusal);
  if (Answer answer = being_freed(ask)) return answer;
  if (Answer answer = ports_taken(ask)) return answer;
  if (Answer answer = cluster_full(ask)) return answer;
  if (Answer answer = fragmented(ask)) return answer;
  if (Answer answer = promised_to_others(ask)) return answer;
  return not_tried(ask);
}

// ---- what has nothing to do with room ---------------------------------------------------------------------------

WaitText::Answer WaitText::queue_closed(const Ask& ask) const {
  if (!ask.job.queue_id.valid()) {
    return wait(WaitReason::QueueMissing, fmt::format("queue {} does not exist", ask.job.queue));
  }
  const model::QueueState state = state_.queue(ask.job.queue_id).state;
  if (state == model::QueueState::Open) return std::nullopt;
  return wait(WaitReason::QueueClosed,
              fmt::format("queue {} is {} and takes no jobs", ask.job.queue, queue_state_words(state)));
}

WaitText::Answer WaitText::pods_held(const Ask& ask) const {
  const GangNeed& need = ask.need;
  const int32_t wanted = ask.job.min_available;
  if (need.there >= wanted) return std::nullopt;
  if (need.gated > 0 && !need.gates.empty()) {
    const bool several = need.gates.find(',') != std::string::npos;
    return wait(WaitReason::Gated, fmt::format("held by scheduling gate{} {}: {} of {} pods", several ? "s" : "",
                                               need.gates, need.gated, std::max(wanted, need.there + need.gated)));
  }
  const bool speaks_for_pods = !is_let_in(ask.job) && ask.job.min_resources;
  if (need.there + need.gated >= wanted || speaks_for_pods) return std::nullopt;
  return wait(WaitReason::PodsMissing, fmt::format("has {} of the {} pods that it needs", need.there, wanted));
}

// ---- what is not yet --------------------------------------------------------------------------------------------

WaitText::Answer WaitText::queue_full(const Ask& ask) const {
  const bool let_in = is_let_in(ask.job);
  for (const engine::QueueLimit& limit : limits_) {
    if (limit.queue != ask.job.queue_id) continue;
    WorstDimension queue(state_.schema);
    const auto promised = [&](ResourceId id) { return let_in ? 0 : promised_[limit.at][id]; };
    for (size_t r = 0; r < ask.need.total.size(); ++r) {
      const ResourceId id(r);
      if (id == model::kPods || ask.need.total[id] == 0) continue;
      // A queue that may have the whole cluster is not what is in the way.
      const Amount most = whole(let_in ? limit.now[id] : limit.ever[id]);
      if (most >= state_.total_allocatable()[id]) continue;
      queue.consider(id, ask.need.total[id] + held_[limit.at][id] + promised(id), most);
    }
    if (!queue) continue;
    const ResourceId id = queue.id();
    std::string message =
        fmt::format("needs {}; queue {} holds {} of {}", words(id, ask.need.total[id]), state_.queue(limit.at).name,
                    number(id, held_[limit.at][id]), number(id, whole(let_in ? limit.now[id] : limit.ever[id])));
    if (promised(id) > 0) message += fmt::format(", {} are promised to gangs before it", number(id, promised(id)));
    return wait(WaitReason::QueueFull, std::move(message));
  }
  return std::nullopt;
}

WaitText::Answer WaitText::being_freed(const Ask& ask) const {
  if (ask.last.room_on.empty()) return std::nullopt;
  const std::string needs =
      ask.need.pods.empty() ? "" : request_words(state_.schema, state_.shapes[ask.need.pods.front().shape].request);
  return wait(WaitReason::RoomBeingFreed,
              fmt::format("needs {}; waits for pods that are leaving node {}", needs, ask.last.room_on));
}

WaitText::Answer WaitText::cluster_full(const Ask& ask) {
  const auto full = [&](ResourceId id, Amount wanted, std::string_view who, Amount free, Amount has) {
    return wait(WaitReason::ClusterFull,
                fmt::format("needs {}; {} {} of {} free", words(id, wanted), who, number(id, free), number(id, has)));
  };
  for (const PodsNeeded& pods : ask.need.pods) {
    const ShapeRoom& room = rooms_.of(pods.shape);
    const model::DemandSpan request = state_.shapes[pods.shape].request;
    WorstDimension sum(state_.schema);
    for (size_t d = 0; d < request.size(); ++d) {
      sum.consider(request[d].id, request[d].amount * pods.count, room.dims[d].free);
    }
    for (size_t d = 0; d < request.size(); ++d) {
      if (request[d].id != sum.id()) continue;
      Wait answer = full(sum.id(), request[d].amount * pods.count, nodes_words(room.matching, room.nodes),
                         room.dims[d].free, room.dims[d].has);
      answer.message += away_words(room);
      return answer;
    }
  }
  WorstDimension sum(state_.schema);
  const auto free = [&](ResourceId id) {
    return std::max<Amount>(0, state_.total_allocatable()[id] - state_.total_used()[id]);
  };
  for (size_t r = 0; r < ask.need.total.size(); ++r)
    sum.consider(ResourceId(r), ask.need.total[ResourceId(r)], free(ResourceId(r)));
  if (!sum) return std::nullopt;
  return full(sum.id(), ask.need.total[sum.id()], "the cluster has", free(sum.id()),
              state_.total_allocatable()[sum.id()]);
}

WaitText::Answer WaitText::fragmented(const Ask& ask) {
  for (const PodsNeeded& pods : ask.need.pods) {
    const ShapeRoom& room = rooms_.of(pods.shape);
    if (room.pods_now >= pods.count) continue;
    const model::DemandSpan request = state_.shapes[pods.shape].request;
    size_t worst = 0;
    for (size_t d = 1; d < request.size(); ++d) {
      const int64_t here = room.dims[d].pods_now, least = room.dims[worst].pods_now;
      const bool earlier = state_.schema.name(request[d].id) < state_.schema.name(request[worst].id);
      if (here < least || (here == least && earlier)) worst = d;
    }
    const ResourceId id = request[worst].id;
    const auto& blocks = room.dims[worst].blocks;
    if (room.dims[worst].pods_now >= pods.count) {  // of each alone there is enough, but not on the same nodes
      return wait(WaitReason::Fragmented, fmt::format("needs {} × ({}); what is free takes {} such pods", pods.count,
                                                      request_words(state_.schema, request), room.pods_now));
    }
    std::string list;
    for (size_t b = 0; b < std::min(blocks.size(), static_cast<size_t>(room.matching)); ++b) {
      list += fmt::format("{}{}", b == 0 ? "" : ", ", number(id, blocks[b]));
    }
    return wait(WaitReason::Fragmented, fmt::format("needs {} × {}; largest free blocks {}{}", pods.count,
                                                    words(id, request[worst].amount), list, away_words(room)));
  }
  if (ask.need.pods.size() > 1) {
    if (const auto words = mixed_.not_now(ask.need.pods)) return wait(WaitReason::Fragmented, *words);
  }
  return std::nullopt;
}

WaitText::Answer WaitText::promised_to_others(const Ask& ask) const {
  if (is_let_in(ask.job) || ask.last.refusal.empty()) return std::nullopt;
  WorstDimension sum(state_.schema);
  const auto free = [&](ResourceId id) { return state_.total_allocatable()[id] - state_.total_used()[id]; };
  for (size_t r = 0; r < ask.need.total.size(); ++r) {
    const ResourceId id(r);
    if (ask.need.total[id] > 0) sum.consider(id, ask.need.total[id] + all_promised_[id], free(id));
  }
  if (!sum) return std::nullopt;
  return wait(WaitReason::ClusterFull,
              fmt::format("needs {}; the cluster has {} free, {} are promised to gangs before it",
                          words(sum.id(), ask.need.total[sum.id()]), number(sum.id(), free(sum.id())),
                          number(sum.id(), all_promised_[sum.id()])));
}

// There is room as far as the numbers go: what the cycle found is all there is to say.
WaitText::Answer WaitText::not_tried(const Ask& ask) const {
  if (!ask.last.failure.empty()) {
    const bool no_room = ask.last.failure.find("Insufficient ") != std::string::npos;
    const WaitReason reason = ask.last.queue_refused ? WaitReason::QueueFull
                              : no_room              ? WaitReason::Fragmented
                                                     : WaitReason::NoNodeMatches;
    return wait(reason, ask.last.failure);
  }
  return wait(WaitReason::WaitsItsTurn, fmt::format("has room; its turn in queue {} has not come", ask.job.queue));
}

}  // namespace basalt::state
