#include "engine/actions/role_refusals.h"

namespace basalt::actions {

using engine::Availability;
using engine::Session;
using model::NodeId;
using model::TaskId;

// Adds the nodes that refuse the task now.
void RoleRefusals::note(Session& session, TaskId task, Role& role) const {
  const auto availabilities = session.memory.classes.column(session.columns(), task).availabilities();
  role.refused.resize(availabilities.size(), 0);
  for (size_t rank = 0; rank < availabilities.size(); ++rank) {
    if (availabilities[rank] == Availability::Out) role.refused[rank] = 1;
  }
}

std::optional<engine::NodeColumn::Choice> RoleRefusals::best_node(Session& session, TaskId task) {
  const model::Task& row = session.state.task(task);
  if (!enabled_ || row.role == kEmptyName) return engine::best_node(session, task);
  Role& role = roles_[row.role_index];
  role.classes.insert(session.memory.classes.class_of(session.columns(), task));
  if (!role.first.valid()) role.first = task;
  if (role.classes.size() == 1) return engine::best_node(session, task);
  if (role.refused.empty()) note(session, role.first, role);  // its own class's refusals only grow during an attempt
  std::vector<NodeId> open;
  const auto by_rank = session.memory.classes.by_rank();
  for (size_t rank = 0; rank < by_rank.size(); ++rank) {
    if (role.refused[rank] == 0) open.push_back(by_rank[rank]);
  }
  auto choice = engine::best_node_among(session, task, open);
  note(session, task, role);
  return choice;
}

}  // namespace basalt::actions
