// One task against the nodes: which victims, on which node.
#pragma once

#include <functional>
#include <string_view>

#include "engine/actions/eviction/futile_nodes.h"
#include "engine/core/session.h"
#include "engine/core/statement.h"

namespace basalt::actions {

inline constexpr std::string_view kPreempt = "preempt";  // the action's name, and the reason of its evictions

struct PreemptOptions {
  bool least_harm = false;  // enableTopologyAwarePreemption
  int64_t min_percent = 10;
  int64_t min_nodes = 1;
  int64_t max_nodes = 100;
};

using VictimTest = std::function<bool(model::TaskId)>;

// The task's queue accepts it, the node will have room for it, and the filters pass.
bool fits_after_eviction(engine::Session& session, model::TaskId task, model::NodeId node);

// Both modes: `column` is the task's (eviction_columns.h), synced.
//
// Normal mode: nodes by score, best first; on the first one where it works, victims go one by one until the task fits.
// Futile nodes are passed over, and those where it does not work are added to them.
// On success the evictions and the pipelined task are in the statement; on failure the statement is unchanged.
bool preempt_on_best_node(engine::Session& session, engine::Statement& statement, model::TaskId task,
                          const engine::NodeColumn& column, const VictimTest& may_be_victim, FutileNodes& futile);

// Least-harm mode: a number of nodes is tried out; the choice falls on the lowest highest victim priority, then the
// lowest sum of priorities, the fewest victims, the youngest of the highest victims, the first by name.
bool preempt_with_least_harm(engine::Session& session, engine::Statement& statement, model::TaskId task,
                             const engine::NodeColumn& column, const VictimTest& may_be_victim,
                             const PreemptOptions& options);

}  // namespace basalt::actions
