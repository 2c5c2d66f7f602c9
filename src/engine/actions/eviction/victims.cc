#include "engine/actions/eviction/victims.h"

#include <algorithm>

#include "engine/core/node_search.h"

namespace basalt::actions {

using engine::Session;
using model::NodeId;
using model::TaskId;

std::vector<TaskId> candidates_on(const Session& session, NodeId node, const std::function<bool(TaskId)>& candidate) {
  std::vector<TaskId> tasks;
  for (const TaskId task : session.state.node(node).tasks) {
    if (candidate(task)) tasks.push_back(task);
  }
  std::sort(tasks.begin(), tasks.end(),
            [&](TaskId a, TaskId b) { return session.state.task(a).uid < session.state.task(b).uid; });
  return tasks;
}

bool room_after(const Session& session, TaskId task, NodeId node, std::span<const TaskId> victims) {
  const auto future = session.state.future_idle(node);
  for (const auto& [id, wanted] : session.state.shape_of(task).request) {
    model::Amount room = future[id.index()];
    for (const TaskId victim : victims) {
      for (const auto& [victim_id, held] : session.state.shape_of(victim).request) {
        if (victim_id == id) room += held;
      }
    }
    if (wanted > room) return false;
  }
  return true;
}

bool fits_in_future(Session& session, TaskId task, NodeId node) {
  return model::fits(session.state.shape_of(task).request, session.state.future_idle(node)) &&
         engine::filter_node(session, task, node) == engine::kFits;
}

bool evict_until(engine::Statement& statement, TaskId task, NodeId node, std::span<const TaskId> victims,
                 std::string_view action, const std::function<bool()>& fits) {
  const auto before = statement.checkpoint();
  size_t gone = 0;
  bool fitting = fits();
  while (!fitting && gone < victims.size()) {
    statement.evict(victims[gone++], task, action);
    fitting = fits();
  }
  if (!fitting) {
    statement.rollback(before);
    return false;
  }
  statement.pipeline(task, node, /*evicted=*/gone > 0);
  return true;
}

}  // namespace basalt::actions
