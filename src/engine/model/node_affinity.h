// What a pod demands of a node by name and labels, and what a node demands of a pod by taints. One node at a time.
#pragma once

#include <cstdint>

#include "engine/model/node.h"
#include "engine/model/pod_shape.h"

namespace basalt::model {

// A term without any requirement matches no node. Field requirements know only metadata.name, with In or NotIn and one
// value; anything else makes the term match nothing.
bool matches(const NodeTerm& term, const Node& node, const StringPool& names);

inline bool demands_nodes(const PodShape& shape) {
  return !shape.node_selector.empty() || shape.has_required_node_terms;
}
// The node selector holds and, if required terms are given, one of them does.
bool matches_required_nodes(const PodShape& shape, const Node& node, const StringPool& names);
// Sum of the weights of the preferred terms that match.
int64_t preferred_node_weight(const PodShape& shape, const Node& node, const StringPool& names);
// Every required term names nodes by metadata.name, and none of them names a node that its own term allows: the pod can
// run nowhere, whatever nodes exist.
bool node_names_conflict(const PodShape& shape);

// A taint that keeps pods away (NoSchedule, NoExecute) is not tolerated.
bool repelled_by_taint(const PodShape& shape, const Node& node);
// How many PreferNoSchedule taints are not tolerated.
int64_t disliked_taints(const PodShape& shape, const Node& node);

}  // namespace basalt::model
