#include "actions/eviction/victims.h"

#include <algorithm>

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

}  // namespace basalt::actions
