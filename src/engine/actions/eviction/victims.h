// Victims on one node: who could go, and whether that makes room.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/core/session.h"
#include "engine/core/statement.h"

namespace basalt::actions {

// Tasks on the node that pass `candidate`, in uid order (a defined order for plugins that walk them).
std::vector<model::TaskId> candidates_on(const engine::Session& session, model::NodeId node,
                                         const std::function<bool(model::TaskId)>& candidate);

// True if the node would have room for the task once these victims are gone.
bool room_after(const engine::Session& session, model::TaskId task, model::NodeId node,
                std::span<const model::TaskId> victims);

// The node will have room for the task, and the filters pass.
bool fits_in_future(engine::Session& session, model::TaskId task, model::NodeId node);

// Victims go one by one, in the order given, until fits() holds; then the task is pipelined onto the node. False, with
// the statement as it was, if it still does not hold when all are gone.
bool evict_until(engine::Statement& statement, model::TaskId task, model::NodeId node,
                 std::span<const model::TaskId> victims, std::string_view action, const std::function<bool()>& fits);

}  // namespace basalt::actions
