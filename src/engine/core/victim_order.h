// The order in which victims go: least deserving first.
//   same job                reverse task order
//   a task without a job    before all others
//   different queues        victim queue order, seen from the preemptor's queue
//   otherwise               reverse job order, then reverse task order
// Queue orders of a tree need not be transitive, so a heap finds the order: it also ends
// on cycles.
#pragma once

#include <span>
#include <vector>

#include "engine/core/session.h"

namespace basalt::engine {

std::vector<TaskId> in_victim_order(const Session& session, TaskId preemptor, std::span<const TaskId> victims);

}  // namespace basalt::engine
