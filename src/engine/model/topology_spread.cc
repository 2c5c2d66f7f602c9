#include "engine/model/topology_spread.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/model/node_affinity.h"

namespace basalt::model {

namespace {

constexpr std::string_view kHostnameKey = "kubernetes.io/hostname";

bool accepts(const SpreadConstraint& constraint, const PodShape& shape, const Node& node, const StringPool& names) {
  if (constraint.honor_node_affinity && !matches_required_nodes(shape, node, names)) return false;
  return !constraint.honor_node_taints || !repelled_by_taint(shape, node);
}

}  // namespace

bool has_spread(const PodShape& shape, bool hard) {
  return std::any_of(shape.spread.begin(), shape.spread.end(),
                     [hard](const SpreadConstraint& c) { return c.hard == hard; });
}

bool matches_itself(const SpreadConstraint& constraint, LabelSetId labels, const ClusterState& state) {
  return matches(constraint.selector, state.label_sets[labels], state.names);
}

SpreadTally::SpreadTally(const ClusterState& state, TopologyDomains& domains, TaskId incoming, bool hard)
    : state_(state), ns_(state.task(incoming).ns) {
  const PodShape& shape = state.shape_of(incoming);
  const NameId hostname = state.names.find(kHostnameKey);
  for (const SpreadConstraint& constraint : shape.spread) {
    if (constraint.hard != hard) continue;
    const DomainMap& map = domains[constraint.topology_key];
    rows_.push_back({.constraint = &constraint,
                     .domains = &map,
                     .per_node = constraint.topology_key == hostname,
                     .self = matches_itself(constraint, state.task(incoming).labels, state),
                     .takes_part = IdVector<NodeId, uint8_t>(state.node_rows(), 0),
                     .on_node = IdVector<NodeId, int64_t>(state.node_rows(), 0),
                     .in_domain = std::vector<int64_t>(map.count, 0),
                     .members = std::vector<uint32_t>(map.count, 0)});
  }
  for (Row& row : rows_) {
    for (const NodeId node : state.nodes_by_name()) {
      if (!has_all_keys(node) || !accepts(*row.constraint, shape, state.node(node), state.names)) continue;
      row.takes_part[node] = 1;
      ++row.members[row.domains->of[node]];
    }
  }
}

bool SpreadTally::has_all_keys(NodeId node) const {
  return std::all_of(rows_.begin(), rows_.end(), [node](const Row& row) { return row.domains->of[node] != kNoDomain; });
}

int64_t SpreadTally::count(const Row& row, NodeId node) const {
  const Selector& selector = row.constraint->selector;
  if (selector.nothing || selector.requirements.empty()) return 0;
  int64_t count = 0;
  for (const TaskId id : state_.node(node).tasks) {
    const Task& pod = state_.task(id);
    if (!pod.in_view || pod.ns != ns_ || pod.status == TaskStatus::Releasing) continue;
    if (matches(selector, state_.label_sets[pod.labels], state_.names)) ++count;
  }
  return count;
}

void SpreadTally::recount(Row& row, NodeId node) const {
  const int64_t now = count(row, node);
  if (row.takes_part[node] != 0) row.in_domain[row.domains->of[node]] += now - row.on_node[node];
  row.on_node[node] = now;
}

void SpreadTally::find_least(Row& row) {
  int64_t least = std::numeric_limits<int32_t>::max();
  int32_t domains = 0;
  for (size_t d = 0; d < row.members.size(); ++d) {
    if (row.members[d] == 0) continue;
    ++domains;
    least = std::min(least, row.in_domain[d]);
  }
  row.least = domains < row.constraint->min_domains ? 0 : least;
}

void SpreadTally::sync() {
  const TouchLog& log = state_.touches();
  if (counted_ && synced_to_ == log.end()) return;
  for (Row& row : rows_) {
    if (!counted_) {
      for (const NodeId node : state_.nodes_by_name()) recount(row, node);
    } else {
      log.visit_since(synced_to_, [&](NodeId node) { recount(row, node); });
    }
    find_least(row);
  }
  counted_ = true;
  synced_to_ = log.end();
}

SpreadTally::Answer SpreadTally::judge(NodeId node) const {
  for (const Row& row : rows_) {
    const uint32_t domain = row.domains->of[node];
    if (domain == kNoDomain) return Answer::MissingKey;
    const int64_t skew = row.in_domain[domain] + (row.self ? 1 : 0) - row.least;
    if (skew > row.constraint->max_skew) return Answer::TooSkewed;
  }
  return Answer::Fits;
}

// A constraint over many domains spreads its pods thin; the logarithm of their number makes up for it.
std::vector<double> SpreadTally::weights_among(std::span<const NodeId> nodes) const {
  std::vector<size_t> sizes(rows_.size(), 0);
  std::vector<std::vector<uint8_t>> seen(rows_.size());
  for (size_t i = 0; i < rows_.size(); ++i) seen[i].assign(rows_[i].domains->count, 0);
  for (const NodeId node : nodes) {
    if (!has_all_keys(node)) continue;
    for (size_t i = 0; i < rows_.size(); ++i) {
      uint8_t& mark = seen[i][rows_[i].domains->of[node]];
      if (rows_[i].per_node || mark == 0) ++sizes[i];
      mark = 1;
    }
  }
  std::vector<double> weights;
  for (const size_t size : sizes) weights.push_back(std::log(static_cast<double>(size + 2)));
  return weights;
}

void SpreadTally::score(std::span<const NodeId> nodes, int64_t ignored, std::span<int64_t> raw) const {
  const std::vector<double> weights = weights_among(nodes);
  for (size_t n = 0; n < nodes.size(); ++n) {
    if (!has_all_keys(nodes[n])) {
      raw[n] = ignored;
      continue;
    }
    double score = 0;
    for (size_t i = 0; i < rows_.size(); ++i) {
      const Row& row = rows_[i];
      const int64_t pods = row.per_node ? row.on_node[nodes[n]] : row.in_domain[row.domains->of[nodes[n]]];
      score += static_cast<double>(pods) * weights[i] + static_cast<double>(row.constraint->max_skew - 1);
    }
    raw[n] = static_cast<int64_t>(std::round(score));
  }
}

}  // namespace basalt::model
