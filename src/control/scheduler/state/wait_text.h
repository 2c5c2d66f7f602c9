// Why a gang waits: one word of a closed list, and one sentence with numbers that begins with the cause.
//
//   NeverFits       needs 100 nvidia.com/gpu, the cluster has 64: cannot ever run
//                   needs 16 nvidia.com/gpu in one pod, the largest node has 8: cannot ever run
//                   needs 1 × 8 + 8 × 5 nvidia.com/gpu, 8 empty nodes with up to 8 have no room for all of them: …
//                   needs host port 80 on 5 nodes, 4 match: cannot ever run
//                   needs 8 nvidia.com/gpu, queue dev may hold 2: cannot ever run
//   QueueMissing    queue dev does not exist
//   QueueClosed     queue dev is Closed and takes no jobs
//   QueueFull       needs 2 nvidia.com/gpu; queue dev holds 1 of 2
//   QuotaFull       resource quota insufficient, requested: …
//   Gated           held by scheduling gates a, b: 2 of 3 pods
//   PodsMissing     has 1 of the 3 pods that it needs
//   NoNodeMatches   no node matches: 3 of 4 have taints that the pods do not tolerate, 1 has other labels: cannot …
//                   no node matches: 3 of 4 have other labels …, 1 is cordoned
//                   1 of 2 pods are for a node that does not exist: cannot ever run
//                   needs host port 80 on 2 nodes; it is free on 1 of 4
//   RoomBeingFreed  needs 4 cpu; waits for pods that are leaving node n1
//   ClusterFull     needs 8 nvidia.com/gpu; the cluster has 3 of 64 free
//   Fragmented      needs 4 × 8 nvidia.com/gpu; largest free blocks 8, 8, 3
//                   needs 2 × 8 + 1 × 6 nvidia.com/gpu; largest free blocks 8, 8, 3
//   WaitsItsTurn    has room; its turn in queue dev has not come
//
// "cannot ever run" ends what NeverFits says, and NoNodeMatches where no node would do: as long as the cluster and its
// queues are what they are. Nodes that are cordoned, not ready or otherwise away for a while count as nodes there.
// A gang that is not let in has no pods yet; where the templates of its job are known (LastAttempt::planned), the
// sentence is the one that its pods would get.
// These are our own words, beside those of Volcano (report_text.h), which stay where its clients read them.
// Pure. Cost: O(jobs) to make, O(pods of the job) a question, O(nodes) once per shape of pods.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "control/scheduler/state/mixed_gang.h"
#include "control/scheduler/state/wait_facts.h"
#include "engine/core/decisions.h"
#include "engine/model/cluster_state.h"

namespace basalt::state {

enum class WaitReason : uint8_t {
  NeverFits,
  QueueMissing,
  QueueClosed,
  QueueFull,
  QuotaFull,
  Gated,
  PodsMissing,
  NoNodeMatches,
  RoomBeingFreed,
  ClusterFull,
  Fragmented,
  WaitsItsTurn,
};
[[nodiscard]] std::string_view to_string(WaitReason reason);

struct Wait {
  WaitReason reason = WaitReason::WaitsItsTurn;
  std::string message;
};

// What the last cycle that looked at the job found, beyond what the state shows.
struct LastAttempt {
  std::string refused_by, refusal;  // the plugin that did not let it in, and its words
  std::string failure;              // why its first pod found no node, in Volcano's words
  bool queue_refused = false;       // that was its queue
  std::string room_on;              // the node on which it waits for pods that are leaving
  // minResources is what its minAvailable pods request, no more: who made them both summed it up.
  bool minimum_is_exact = false;
  std::vector<PlannedPods> planned;  // while it has no pods; empty: not known
};

// The enqueue action has let it in: cycles look for nodes for its pods.
[[nodiscard]] bool is_let_in(const model::Job& job);

using HeldByQueue = IdVector<model::QueueId, model::ResourceVec>;

class WaitText {
 public:
  // `held`: what each queue holds with those below it. Requires: all outlive it, and the state stays as it is.
  WaitText(const model::ClusterState& state, std::span<const engine::QueueLimit> limits, const HeldByQueue& held);

  // Nothing: the job does not wait, it has its pods placed, is over or on its way out.
  [[nodiscard]] std::optional<Wait> explain(model::JobId id, const LastAttempt& last);
  // Shapes × nodes that had to be looked at: what the answers so far have cost.
  [[nodiscard]] size_t rows_seen() const { return rooms_.shapes() * state_.nodes_by_name().size() + mixed_.steps(); }

 private:
  struct Ask {
    const model::Job& job;
    const GangNeed& need;
    const LastAttempt& last;
  };
  using Answer = std::optional<Wait>;

  [[nodiscard]] Answer queue_closed(const Ask& ask) const;
  [[nodiscard]] Answer pods_held(const Ask& ask) const;
  // wait_no_node.cc
  [[nodiscard]] Answer node_missing(const Ask& ask) const;
  [[nodiscard]] Answer no_node(const Ask& ask);
  [[nodiscard]] Answer too_few_for_ports(const PodsNeeded& pods);
  [[nodiscard]] Answer ports_taken(const Ask& ask);
  // wait_never.cc
  [[nodiscard]] Answer never(const Ask& ask);
  [[nodiscard]] Answer pod_too_large(const PodsNeeded& pods);
  [[nodiscard]] Answer unborn_pod_too_large(const Ask& ask) const;
  [[nodiscard]] Answer cluster_too_small(const Ask& ask) const;
  [[nodiscard]] Answer queue_too_small(const Ask& ask) const;

  [[nodiscard]] Answer queue_full(const Ask& ask) const;
  [[nodiscard]] Answer being_freed(const Ask& ask) const;
  [[nodiscard]] Answer cluster_full(const Ask& ask);
  [[nodiscard]] Answer fragmented(const Ask& ask);
  [[nodiscard]] Answer promised_to_others(const Ask& ask) const;
  [[nodiscard]] Answer not_tried(const Ask& ask) const;

  static Wait wait(WaitReason reason, std::string message) { return {.reason = reason, .message = std::move(message)}; }
  static model::Amount whole(double limit);                                            // rounded; huge: no limit
  [[nodiscard]] std::string number(model::ResourceId id, model::Amount amount) const;  // "8"
  [[nodiscard]] std::string words(model::ResourceId id, model::Amount amount) const;   // "8 nvidia.com/gpu"

  const model::ClusterState& state_;
  std::span<const engine::QueueLimit> limits_;
  const HeldByQueue& held_;
  HeldByQueue promised_;  // by queue: to gangs that were let in and have no place yet
  model::ResourceVec all_promised_;
  ShapeRoomCache rooms_;
  MixedGangs mixed_;
};

inline constexpr std::string_view kForever = ": cannot ever run";

// "the cluster has", or "the 3 nodes that match have".
[[nodiscard]] std::string nodes_words(int32_t some, int32_t all);

}  // namespace basalt::state
