// The numbers behind the sentence that says why a gang waits (wait_text.h), computed from the state alone.
//
// Pure: the same state gives the same numbers, whatever the order in which its rows came.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "control/scheduler/state/planned_pods.h"
#include "engine/model/cluster_state.h"

namespace basalt::state {

inline constexpr size_t kBlocksNamed = 3;  // the largest free blocks that a sentence names

struct PodsNeeded {
  model::ShapeId shape;
  int32_t count = 0;
  friend auto operator<=>(const PodsNeeded&, const PodsNeeded&) = default;
};

// What a gang still lacks to be complete.
struct GangNeed {
  std::vector<PodsNeeded> pods;  // of the pods that are there or planned; empty: minResources speaks for them
  model::ResourceVec total;      // what they request together
  int32_t there = 0;             // pods that are or may be placed: placed ones and those that wait without a gate
  int32_t gated = 0;             // pods that wait behind gates
  std::string gates;             // their names, "a, b"
  int32_t nowhere = 0;           // pods that are for a node that does not exist; not in `there`
};
// Pods that were made for a node that does not exist. Cost: O(pods of the job) while one of them is Bound.
[[nodiscard]] int32_t bound_nowhere(const model::ClusterState& state, const model::Job& job);
// Of each role its minimum first, then the others by role. `planned` counts while the job has no pods.
// Cost: O(pods of the job).
[[nodiscard]] GangNeed need_of(const model::ClusterState& state, const model::Job& job,
                               std::span<const PlannedPods> planned);

// What a node is to pods of one shape, by its cordon, taints and labels.
struct NodeUse {
  bool cordoned = false, tainted = false, mismatched = false;  // each keeps them away
  // Only a cordon or a taint of the node's life (not ready, under pressure, being drained) keeps them away, if anything
  // does: they may run there one day.
  bool possible = false;

  [[nodiscard]] bool takes() const { return !cordoned && !tainted && !mismatched; }
};
[[nodiscard]] NodeUse use_of(const model::ClusterState& state, const model::PodShape& shape, const model::Node& node);

// One dimension of a shape's request.
struct DimRoom {
  model::Amount has = 0, free = 0;                   // on all nodes that match
  model::Amount has_ever = 0, largest_node = 0;      // on all possible nodes, and on one of them at most
  std::array<model::Amount, kBlocksNamed> blocks{};  // the largest free parts of single nodes, falling
  int64_t pods_now = 0;                              // pods that fit into what is free, if nothing else counted
};

// Where pods of one shape may run, and how much of it is free.
// Invariant: matching <= possible <= nodes.
struct ShapeRoom {
  int32_t nodes = 0, matching = 0;
  int32_t cordoned = 0, tainted = 0, mismatched = 0;  // of the others, each counted once
  int32_t ports_taken = 0;                            // matching nodes on which a host port of theirs is in use
  int32_t possible = 0;                 // matching ones, and those that would match without their cordon or condition
  int64_t pods_now = 0, pods_ever = 0;  // such pods that fit into what is free, and into empty possible nodes
  std::vector<DimRoom> dims;            // as the shape's request
};

class ShapeRoomCache {
 public:
  // Requires: the state outlives it and stays as it is.
  explicit ShapeRoomCache(const model::ClusterState& state) : state_(state) {}
  // Cost: O(nodes) for the first question about a shape.
  const ShapeRoom& of(model::ShapeId shape);
  [[nodiscard]] size_t shapes() const { return known_.size(); }  // that were asked about

 private:
  const model::ClusterState& state_;
  std::map<model::ShapeId, ShapeRoom> known_;
};

}  // namespace basalt::state
