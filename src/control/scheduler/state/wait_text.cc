#include "control/scheduler/state/wait_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/model/queue_usage.h"
#include "engine/model/readiness.h"

namespace basalt::state {
namespace {

using model::Amount;
using model::PodGroupPhase;
using model::ResourceId;
using model::TaskStatus;

constexpr Amount kMilli = 1000;
constexpr double kHalf = 0.5;
constexpr Amount kMaxWords = Amount{1} << 62U;  // more is no limit
constexpr std::string_view kForever = ": cannot ever run";

// The dimension in which most is missing, measured against what there is; ties by name.
class Worst {
 public:
  explicit Worst(const model::ResourceSchema& schema) : schema_(schema) {}
  void consider(ResourceId id, Amount wanted, Amount there) {
    if (wanted <= there) return;
    const double ratio = static_cast<double>(wanted) / static_cast<double>(std::max<Amount>(there, 1));
    if (id_.valid() && (ratio < ratio_ || (ratio == ratio_ && schema_.name(id) > schema_.name(id_)))) return;
    id_ = id;
    ratio_ = ratio;
  }
  [[nodiscard]] ResourceId id() const { return id_; }
  explicit operator bool() const { return id_.valid(); }

 private:
  const model::ResourceSchema& schema_;
  ResourceId id_;
  double ratio_ = 0;
};

Amount floor_of(double amount) {
  return amount >= static_cast<double>(kMaxWords) ? kMaxWords : static_cast<Amount>(std::floor(amount + kHalf));
}

bool waits(const model::Job& job) {
  if (!job.alive || !job.has_pod_group || job.status.phase == PodGroupPhase::Completed) return false;
  if (model::gang_ready(job) && model::roles_ready(job) && model::sub_groups_ready(job)) return false;
  if (job.count(TaskStatus::Pending) > 0) return true;
  // No pod of it waits: either they are not made yet, or they have ended or are leaving.
  const bool untouched = job.tasks.empty() && job.min_available > 0;
  return untouched && job.status.phase != PodGroupPhase::Running && job.status.phase != PodGroupPhase::Unknown;
}

bool is_let_in(const model::Job& job) {
  return job.status.phase != PodGroupPhase::None && job.status.phase != PodGroupPhase::Pending;
}

std::string_view state_words(model::QueueState state) {
  switch (state) {
    case model::QueueState::Open:
      return "Open";
    case model::QueueState::Closed:
      return "Closed";
    case model::QueueState::Closing:
      return "Closing";
    case model::QueueState::Unknown:
      break;
  }
  return "Unknown";
}

Wait wait(WaitReason reason, std::string message) { return {.reason = reason, .message = std::move(message)}; }

}  // namespace

std::string_view to_string(WaitReason reason) {
  static constexpr std::array<std::string_view, 12> kWords = {
      "NeverFits",   "QueueMissing",  "QueueClosed",    "QueueFull",   "QuotaFull",  "Gated",
      "PodsMissing", "NoNodeMatches", "RoomBeingFreed", "ClusterFull", "Fragmented", "WaitsItsTurn"};
  return kWords[static_cast<size_t>(reason)];
}

std::string amount_words(ResourceId id, Amount amount) {
  if (id == model::kPods) return fmt::format("{}", amount);
  if (id != model::kMemory) {
    if (amount % kMilli == 0) return fmt::format("{}", amount / kMilli);
    return fmt::format("{:.4g}", static_cast<double>(amount) / static_cast<double>(kMilli));
  }
  constexpr std::array<std::string_view, 6> kUnits = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};
  constexpr double kStep = 1024;
  double left = static_cast<double>(amount);
  size_t unit = 0;
  for (; left >= kStep && unit + 1 < kUnits.size(); ++unit) left /= kStep;
  return fmt::format("{:.4g}{}", left, kUnits[unit]);
}

struct WaitText::Ask {
  const model::Job& job;
  const GangNeed& need;
  const LastAttempt& last;
};

WaitText::WaitText(const model::ClusterState& state, std::span<const engine::QueueLimit> limits,
                   const HeldByQueue& held)
    : state_(state), limits_(limits), held_(held), promised_(state.queue_rows()), rooms_(state) {
  for (size_t j = 0; j < state.job_rows(); ++j) {
    const model::Job& job = state.job(model::JobId(j));
    if (!job.schedulable() || !model::holds_promise(job)) continue;
    model::add_uncovered_minimum(job, promised_[job.queue_id]);
    model::add_uncovered_minimum(job, all_promised_);
  }
}

std::string WaitText::words(ResourceId id, Amount amount) const {
  return fmt::format("{} {}", amount_words(id, amount), state_.schema.name(id));
}

std::string WaitText::words(model::DemandSpan request) const {
  std::vector<std::string> parts;
  for (const auto& [id, amount] : request) {
    if (id != model::kPods && amount > 0) parts.push_back(words(id, amount));
  }
  if (parts.empty()) return "1 pods";
  std::sort(parts.begin(), parts.end());
  std::string out;
  for (const std::string& part : parts) out.append(out.empty() ? "" : ", ").append(part);
  return out;
}

std::optional<Wait> WaitText::explain(model::JobId id, const LastAttempt& last) {
  const model::Job& job = state_.job(id);
  if (!waits(job)) return std::nullopt;
  const GangNeed need = need_of(state_, job);
  const Ask ask{.job = job, .need = need, .last = last};
  if (Answer answer = queue_closed(ask)) return answer;
  if (Answer answer = pods_held(ask)) return answer;
  if (Answer answer = no_node(ask)) return answer;
  if (Answer answer = never(ask)) return answer;
  if (Answer answer = queue_full(ask)) return answer;
  if (!last.refusal.empty() && last.refused_by == "resourcequota") return wait(WaitReason::QuotaFull, last.refusal);
  if (Answer answer = being_freed(ask)) return answer;
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
              fmt::format("queue {} is {} and takes no jobs", ask.job.queue, state_words(state)));
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

WaitText::Answer WaitText::no_node(const Ask& ask) {
  if (state_.nodes_by_name().empty()) return wait(WaitReason::NoNodeMatches, "the cluster has no nodes");
  for (const PodsNeeded& pods : ask.need.pods) {
    const ShapeRoom& room = rooms_.of(pods.shape);
    if (room.matching > 0) continue;
    std::string why;
    const auto add = [&](int32_t count, std::string_view one, std::string_view many) {
      if (count == 0) return;
      const std::string number = why.empty() ? fmt::format("{} of {}", count, room.nodes) : fmt::format("{}", count);
      why += fmt::format("{}{} {}", why.empty() ? "" : ", ", number, count == 1 ? one : many);
    };
    add(room.mismatched, "has other labels than the node selector or affinity asks for",
        "have other labels than the node selector or affinity asks for");
    add(room.tainted, "has a taint that the pods do not tolerate", "have taints that the pods do not tolerate");
    add(room.cordoned, "is cordoned", "are cordoned");
    return wait(WaitReason::NoNodeMatches, "no node matches: " + why);
  }
  return std::nullopt;
}

// ---- what will never be -----------------------------------------------------------------------------------------

WaitText::Answer WaitText::pod_too_large(const PodsNeeded& pods) {
  const ShapeRoom& room = rooms_.of(pods.shape);
  const model::DemandSpan request = state_.shapes[pods.shape].request;
  const std::string which = room.matching == room.nodes ? "" : " that matches";
  Worst sum(state_.schema), node(state_.schema);
  for (size_t d = 0; d < request.size(); ++d) {
    sum.consider(request[d].id, request[d].amount * pods.count, room.dims[d].has);
    node.consider(request[d].id, request[d].amount, room.dims[d].largest_node);
  }
  const auto at = [&](ResourceId id) {
    return static_cast<size_t>(std::find_if(request.begin(), request.end(), [&](const auto& e) { return e.id == id; }) -
                               request.begin());
  };
  if (sum) {
    const size_t d = at(sum.id());
    const std::string has = room.matching == room.nodes ? "the cluster has"
                            : room.matching == 1        ? "the 1 node that matches has"
                                                        : fmt::format("the {} nodes that match have", room.matching);
    return wait(WaitReason::NeverFits, fmt::format("needs {}, {} {}{}", words(sum.id(), request[d].amount * pods.count),
                                                   has, amount_words(sum.id(), room.dims[d].has), kForever));
  }
  if (node) {
    const size_t d = at(node.id());
    return wait(WaitReason::NeverFits,
                fmt::format("needs {} in one pod, the largest node{} has {}{}", words(node.id(), request[d].amount),
                            which, amount_words(node.id(), room.dims[d].largest_node), kForever));
  }
  if (room.pods_ever >= pods.count) return std::nullopt;
  if (room.pods_ever == 0) {
    return wait(WaitReason::NeverFits,
                fmt::format("needs {} in one pod, no node{} has all of it{}", words(request), which, kForever));
  }
  return wait(WaitReason::NeverFits, fmt::format("needs {} × {}, the empty cluster has room for {} such pods{}",
                                                 pods.count, words(request), room.pods_ever, kForever));
}

WaitText::Answer WaitText::never(const Ask& ask) {
  for (const PodsNeeded& pods : ask.need.pods) {
    if (Answer answer = pod_too_large(pods)) return answer;
  }
  Worst cluster(state_.schema);
  for (size_t r = 0; r < ask.need.total.size(); ++r) {
    const ResourceId id(r);
    cluster.consider(id, ask.need.total[id] > 0 ? ask.need.total[id] + ask.job.allocated[id] : 0,
                     state_.total_allocatable()[id]);
  }
  if (cluster) {
    return wait(WaitReason::NeverFits,
                fmt::format("needs {}, the cluster has {}{}",
                            words(cluster.id(), ask.need.total[cluster.id()] + ask.job.allocated[cluster.id()]),
                            amount_words(cluster.id(), state_.total_allocatable()[cluster.id()]), kForever));
  }
  for (const engine::QueueLimit& limit : limits_) {
    if (limit.queue != ask.job.queue_id) continue;
    Worst queue(state_.schema);
    for (size_t r = 0; r < ask.need.total.size(); ++r) {
      const ResourceId id(r);
      if (id == model::kPods || ask.need.total[id] == 0) continue;
      queue.consider(id, ask.need.total[id] + ask.job.allocated[id], floor_of(limit.ever[id]));
    }
    if (!queue) continue;
    return wait(
        WaitReason::NeverFits,
        fmt::format("needs {}, queue {} may hold {}{}",
                    words(queue.id(), ask.need.total[queue.id()] + ask.job.allocated[queue.id()]),
                    state_.queue(limit.at).name, amount_words(queue.id(), floor_of(limit.ever[queue.id()])), kForever));
  }
  return std::nullopt;
}

// ---- what is not yet --------------------------------------------------------------------------------------------

WaitText::Answer WaitText::queue_full(const Ask& ask) const {
  const bool let_in = is_let_in(ask.job);
  for (const engine::QueueLimit& limit : limits_) {
    if (limit.queue != ask.job.queue_id) continue;
    Worst queue(state_.schema);
    const auto promised = [&](ResourceId id) { return let_in ? 0 : promised_[limit.at][id]; };
    for (size_t r = 0; r < ask.need.total.size(); ++r) {
      const ResourceId id(r);
      if (id == model::kPods || ask.need.total[id] == 0) continue;
      // A queue that may have the whole cluster is not what is in the way.
      const Amount most = floor_of(let_in ? limit.now[id] : limit.ever[id]);
      if (most >= state_.total_allocatable()[id]) continue;
      queue.consider(id, ask.need.total[id] + held_[limit.at][id] + promised(id), most);
    }
    if (!queue) continue;
    const ResourceId id = queue.id();
    std::string message = fmt::format("needs {}; queue {} holds {} of {}", words(id, ask.need.total[id]),
                                      state_.queue(limit.at).name, amount_words(id, held_[limit.at][id]),
                                      amount_words(id, floor_of(let_in ? limit.now[id] : limit.ever[id])));
    if (promised(id) > 0)
      message += fmt::format(", {} are promised to gangs before it", amount_words(id, promised(id)));
    return wait(WaitReason::QueueFull, std::move(message));
  }
  return std::nullopt;
}

WaitText::Answer WaitText::being_freed(const Ask& ask) const {
  if (ask.last.room_on.empty()) return std::nullopt;
  const std::string needs = ask.need.pods.empty() ? "" : words(state_.shapes[ask.need.pods.front().shape].request);
  return wait(WaitReason::RoomBeingFreed,
              fmt::format("needs {}; waits for pods that are leaving node {}", needs, ask.last.room_on));
}

WaitText::Answer WaitText::cluster_full(const Ask& ask) {
  const auto full = [&](ResourceId id, Amount wanted, std::string_view who, Amount free, Amount has) {
    return wait(WaitReason::ClusterFull, fmt::format("needs {}; {} {} of {} free", words(id, wanted), who,
                                                     amount_words(id, free), amount_words(id, has)));
  };
  for (const PodsNeeded& pods : ask.need.pods) {
    const ShapeRoom& room = rooms_.of(pods.shape);
    const model::DemandSpan request = state_.shapes[pods.shape].request;
    Worst sum(state_.schema);
    for (size_t d = 0; d < request.size(); ++d) {
      sum.consider(request[d].id, request[d].amount * pods.count, room.dims[d].free);
    }
    for (size_t d = 0; d < request.size(); ++d) {
      if (request[d].id != sum.id()) continue;
      const std::string who = room.matching == room.nodes ? "the cluster has"
                              : room.matching == 1        ? "the 1 node that matches has"
                                                          : fmt::format("the {} nodes that match have", room.matching);
      return full(sum.id(), request[d].amount * pods.count, who, room.dims[d].free, room.dims[d].has);
    }
  }
  Worst sum(state_.schema);
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
                                                      words(request), room.pods_now));
    }
    std::string list;
    for (size_t b = 0; b < std::min(blocks.size(), static_cast<size_t>(room.matching)); ++b) {
      list += fmt::format("{}{}", b == 0 ? "" : ", ", amount_words(id, blocks[b]));
    }
    return wait(WaitReason::Fragmented, fmt::format("needs {} × {}; largest free blocks {}", pods.count,
                                                    words(id, request[worst].amount), list));
  }
  return std::nullopt;
}

WaitText::Answer WaitText::promised_to_others(const Ask& ask) const {
  if (is_let_in(ask.job) || ask.last.refusal.empty()) return std::nullopt;
  Worst sum(state_.schema);
  const auto free = [&](ResourceId id) { return state_.total_allocatable()[id] - state_.total_used()[id]; };
  for (size_t r = 0; r < ask.need.total.size(); ++r) {
    const ResourceId id(r);
    if (ask.need.total[id] > 0) sum.consider(id, ask.need.total[id] + all_promised_[id], free(id));
  }
  if (!sum) return std::nullopt;
  return wait(WaitReason::ClusterFull,
              fmt::format("needs {}; the cluster has {} free, {} are promised to gangs before it",
                          words(sum.id(), ask.need.total[sum.id()]), amount_words(sum.id(), free(sum.id())),
                          amount_words(sum.id(), all_promised_[sum.id()])));
}

WaitText::Answer WaitText::not_tried(const Ask& ask) const {
  if (!ask.last.failure.empty()) return wait(WaitReason::NoNodeMatches, ask.last.failure);
  return wait(WaitReason::WaitsItsTurn, fmt::format("has room; its turn in queue {} has not come", ask.job.queue));
}

}  // namespace basalt::state
