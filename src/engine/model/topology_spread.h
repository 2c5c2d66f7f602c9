// Topology spread constraints of one incoming pod, counted over the pods on the nodes.
//
// Hard constraints (DoNotSchedule) refuse a node if it would hold too many matching pods compared with the emptiest
// domain; soft ones (ScheduleAnyway) give a score. Matching pods are in the incoming pod's namespace, match the
// selector and are not being deleted; an empty selector counts no pod, though the incoming pod matches it. A node takes
// part if it has the topology keys of all constraints of the kind and the constraint's inclusion policies accept it.
//
// sync() counts again only the nodes touched since the last call. A tally belongs to one cycle.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/model/cluster_state.h"
#include "engine/model/topology_domains.h"

namespace basalt::model {

bool has_spread(const PodShape& shape, bool hard);
// Whether the pod counts under its own constraint.
bool matches_itself(const SpreadConstraint& constraint, LabelSetId labels, const ClusterState& state);

class SpreadTally {
 public:
  SpreadTally(const ClusterState& state, TopologyDomains& domains, TaskId incoming, bool hard);
  // Cost: O(nodes + pods) at first, later O(pods on touched nodes + domains).
  void sync();
  [[nodiscard]] bool empty() const { return rows_.empty(); }

  // Hard constraints: does the node keep the skew?
  enum class Answer : uint8_t { Fits, TooSkewed, MissingKey };
  [[nodiscard]] Answer judge(NodeId node) const;

  // Soft constraints: more is worse. raw[i] is for nodes[i]; `ignored` for nodes that lack a key. `nodes` are the
  // candidates: the weight of a constraint grows with the number of domains among them. Requires: not empty().
  void score(std::span<const NodeId> nodes, int64_t ignored, std::span<int64_t> raw) const;

 private:
  struct Row {
    const SpreadConstraint* constraint = nullptr;
    const DomainMap* domains = nullptr;
    bool per_node = false;  // kubernetes.io/hostname: soft scores count the node itself
    bool self = false;
    IdVector<NodeId, uint8_t> takes_part;
    IdVector<NodeId, int64_t> on_node;  // matching pods, whether or not the node takes part
    std::vector<int64_t> in_domain;     // of the nodes that take part
    std::vector<uint32_t> members;      // nodes that take part, per domain
    int64_t least = 0;                  // in the emptiest domain, 0 if there are fewer than min_domains
  };
  [[nodiscard]] bool has_all_keys(NodeId node) const;
  [[nodiscard]] int64_t count(const Row& row, NodeId node) const;
  void recount(Row& row, NodeId node) const;
  static void find_least(Row& row);
  [[nodiscard]] std::vector<double> weights_among(std::span<const NodeId> nodes) const;

  const ClusterState& state_;
  NameId ns_;
  std::vector<Row> rows_;
  bool counted_ = false;
  uint64_t synced_to_ = 0;
};

}  // namespace basalt::model
