// Hierarchical dominant resource fairness: a tree of queues with jobs as leaves.
//
// A queue names its place ("root/eng/dev") and the weights on the way ("100/50/30"; below 1, missing or no number: 1).
// Bottom up, each node has a share and is saturated or not:
//   leaf    share = dominant share of what the job holds; saturated if it holds all it requests of some dimension, or
//           holds some of a dimension that it requests and that the cluster has no more of.
//   inner   holds, for every child with a share: a saturated child's holdings as they are, another's scaled to the
//           smallest share among the unsaturated ones (at most 1), so that no child's luck counts against its siblings;
//           share = dominant share of that; saturated iff all children are.
// Queues compare along their paths: the unsaturated before the saturated one, then the smaller share / weight.
//
// Everything above the leaves is recomputed from integers, so charging and taking back restore each number exactly.
// Cost: finish O(jobs · log); charge O(children of the nodes on the path), or O(jobs) when a dimension of the cluster
// fills up or frees; compare O(depth).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/hook_table.h"
#include "engine/model/dominant_share.h"

namespace basalt::plugins {

class FairTree {
 public:
  FairTree(model::DominantShare whole, size_t queue_rows, size_t job_rows);

  // Building: each queue once and before its jobs, then finish(). Where two queues give a node on their way different
  // weights, the first counts.
  void add_queue(model::QueueId queue, std::string_view path, std::string_view weights);
  void add_job(model::JobId job, model::QueueId queue, std::string_view name, const model::ResourceVec& request,
               const model::ResourceVec& held);
  void finish();

  void charge(model::JobId job, model::DemandSpan request, model::Amount sign);
  // Equivalent if one of them has no jobs.
  [[nodiscard]] engine::Order compare(model::QueueId a, model::QueueId b) const;

 private:
  static constexpr uint32_t kNoNode = UINT32_MAX;
  struct Node {
    uint32_t parent = kNoNode;
    std::string name;
    double weight = 1;
    bool leaf = false;
    bool saturated = false;
    double share = 0;
    std::vector<uint32_t> children;    // by name, once finished
    model::ResourceVec request, held;  // leaf
    std::vector<double> scaled;        // inner: what it counts as holding, by part of the whole
  };

  uint32_t child(uint32_t parent, std::string_view name, double weight);
  bool update_demand();
  void refresh_all(uint32_t node);
  void refresh(uint32_t node);
  void refresh_leaf(Node& node) const;
  void refresh_inner(Node& node);
  [[nodiscard]] double holding(const Node& node, size_t part) const;

  model::DominantShare whole_;
  model::ResourceVec total_held_;
  model::DimSet in_demand_;  // dimensions of which the cluster has some left
  std::vector<Node> nodes_;  // [0] is the root
  std::map<std::pair<uint32_t, std::string>, uint32_t> by_name_;
  IdVector<model::QueueId, std::vector<uint32_t>> paths_;  // from the root; empty: not added
  IdVector<model::JobId, uint32_t> leaves_;
};

}  // namespace basalt::plugins
