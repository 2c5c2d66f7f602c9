// The queues of the capacity plugin: what each uses, deserves and may have, flat or as a tree.
//
// Flat: only queues with jobs are present. limit (real capability) = what is guaranteed to nobody + own guarantee, up
// to the capability; deserved = spec.deserved, at most the limit, at least the guarantee.
//
// Tree (spec.parent, default "root"): every queue is present, and a queue's usage counts for its ancestors too.
//   capability  dimensions not set are inherited from the parent; those that root does not set are unlimited, as far as
//               the cluster has them
//   limit       root: its capability. Others: what the parent's limit has above the guarantees of all its children +
//               own guarantee, up to the capability
//   deserved    at least the guarantee; root's is the sum of its children's
// A queue whose ancestors do not end at root (a parent that does not exist, a cycle) is cut off: its jobs wait and its
// tasks are nobody's victims, while the rest of the tree works on. The same holds for jobs in a queue with children:
// they wait, and what they hold is counted.
//
// Invariant: usage.allocated of a queue is the sum of its own and its descendants' tasks. Cost: O(jobs + queues·depth).
#pragma once

#include <span>
#include <vector>

#include "engine/model/cluster_state.h"
#include "engine/model/dominant_share.h"
#include "engine/model/queue_usage.h"

namespace basalt::plugins {

struct QueueNode {
  bool present = false;
  bool cut_off = false;
  bool leaf = true;
  bool best_effort = true;                // deserves nothing
  std::vector<model::QueueId> ancestors;  // from the root down to the parent; empty when flat
  model::QueueUsage usage;
  model::RealVec guarantee, deserved, capability, limit;
  model::DominantShare whole;  // deserved
  double share = 0;            // 1 if it deserves nothing, so that it comes after all who lack something
  uint64_t limits_print = 0;   // fingerprint of limit and deserved

  void update_share() { share = best_effort ? 1 : whole.of(usage.allocated); }
  // Call once when deserved, limit and usage are final.
  void settle();
};

using QueueNodes = IdVector<model::QueueId, QueueNode>;

// `jobs`: those that take part, as Session::jobs() has them.
QueueNodes flat_queues(const model::ClusterState& state, std::span<const model::JobId> jobs);
QueueNodes queue_tree(const model::ClusterState& state, std::span<const model::JobId> jobs);

// How many ancestors, counted from the root, two queues have in common; root alone or nothing: 0.
size_t common_level(const QueueNode& a, const QueueNode& b);

}  // namespace basalt::plugins
