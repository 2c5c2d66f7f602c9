// One task against the nodes: which victims, on which node.
#pragma once

#include <functional>
#include <string_view>

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

// Normal mode: nodes by score, best first; on the first one where it works, victims go one by one until the task fits.
// On success the evictions and the pipelined task are in the statement; on failure the statement is unchanged.
bool preempt_on_best_node(engine::Session& session, engine::Statement& statement, model::TaskId task,
                          const VictimTest& may_be_victim);

// Least-harm mode: a number of nodes is tried out; the choice falls on the lowest highest victim priority, then the
// lowest sum of priorities, the fewest victims, the youngest of the highest victims, the first by name.
bool preempt_with_least_harm(engine::Session& session, engine::Statement& statement, model::TaskId task,
                             const VictimTest& may_be_victim, const PreemptOptions& options);

}  // namespace basalt::actions
