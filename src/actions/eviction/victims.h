// Victims on one node: who could go, and whether that makes room.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/session.h"

namespace basalt::actions {

// Tasks on the node that pass `candidate`, in uid order (a defined order for plugins that walk them).
std::vector<model::TaskId> candidates_on(const engine::Session& session, model::NodeId node,
                                         const std::function<bool(model::TaskId)>& candidate);

// True if the node would have room for the task once these victims are gone.
bool room_after(const engine::Session& session, model::TaskId task, model::NodeId node,
                std::span<const model::TaskId> victims);

}  // namespace basalt::actions
