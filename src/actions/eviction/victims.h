// Victims on one node: who could go, in which order, and whether that makes room.
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

// The order in which victims go: least deserving first.
//   same job                reverse task order
//   a task without a job    before all others
//   different queues        victim queue order, seen from the preemptor's queue
//   otherwise               reverse job order, then reverse task order
void order_victims(const engine::Session& session, model::TaskId preemptor, std::vector<model::TaskId>& victims);

}  // namespace basalt::actions
