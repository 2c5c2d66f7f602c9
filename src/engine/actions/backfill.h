// backfill: best-effort tasks, which ask for no resources, go to the best node that takes them.
//
// Queue by queue, job by job, task by task. A job's tasks are bound as soon as the job is ready.
// Arguments: predicateErrorCacheEnable (accepted; classes make it moot).
#pragma once

#include "engine/core/policy.h"

namespace basalt::actions {

Result<engine::ActionRun> configure_backfill(const engine::Arguments& arguments);

}  // namespace basalt::actions
