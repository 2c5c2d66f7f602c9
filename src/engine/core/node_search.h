// Finding a node for a task: through the task's class column where possible, one by one where not.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/core/session.h"

namespace basalt::engine {

// Refused for every node before any node is looked at; kFits if not.
VerdictId pre_filter(Session& session, TaskId task);

// The best node with room now, else the best with room soon. Cost: O(log nodes) once the class's column is current.
std::optional<NodeColumn::Choice> best_node(Session& session, TaskId task);
// The same, if the task carries a nomination that still works: that node alone is looked at.
std::optional<NodeColumn::Choice> nominated_node(Session& session, TaskId task);

// The same among these nodes only (by name), found one by one. Cost: O(nodes · plugins).
std::optional<NodeColumn::Choice> best_node_among(Session& session, TaskId task, std::span<const NodeId> nodes);

// The filters' answer for one node; resources are not looked at.
VerdictId filter_node(Session& session, TaskId task, NodeId node);

// Nodes on which evicting pods may make room, by name: filters pass or refuse for reasons that eviction can cure.
// With no resource test. Cost: O(nodes). The reference for columns for eviction (node_columns.h).
std::vector<NodeId> nodes_worth_evicting_on(Session& session, TaskId task);
// Nodes that pass the filters, by name; no resource test. Cost: O(nodes).
std::vector<NodeId> nodes_passing_filters(Session& session, TaskId task);

// Scores of these nodes as if they were all the candidates there are. The reference for the columns' totals.
std::vector<double> score_nodes(Session& session, TaskId task, std::span<const NodeId> nodes);

// Why the task's class finds no node: counts by reason. Requires: best_node() just answered nothing.
FitFailure explain_failure(Session& session, TaskId task);
// The same when pre_filter refused.
FitFailure explain_pre_filter(Session& session, VerdictId verdict);

}  // namespace basalt::engine
