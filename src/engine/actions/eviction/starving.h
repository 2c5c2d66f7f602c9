// Jobs that may take from others: what preempt and reclaim have in common before they look for victims.
#pragma once

#include <string_view>

#include "engine/actions/pending_work.h"
#include "engine/core/session.h"
#include "engine/core/statement.h"

namespace basalt::actions {

// Let in, valid and starving for resources.
bool may_take(const engine::Session& session, model::JobId job);

// The job's pending, ungated tasks in task order. Best-effort ones are included.
TaskQueue preemptor_tasks(const engine::Session& session, model::JobId job);

// A placement that needs no victims is left to an allocate that still comes in this cycle: a place kept for it here
// would keep it from being bound, cycle by cycle.
bool left_to_allocate(const engine::Session& session, const engine::Statement& statement, std::string_view action);

// Commits what was found for the job if its gang then waits on real room; else everything is undone.
void keep_or_discard(engine::Session& session, engine::Statement& statement, model::JobId job, std::string_view action);

}  // namespace basalt::actions
