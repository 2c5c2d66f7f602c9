// reclaim: a queue below its share takes back what other queues use above theirs.
//
// For each starving job of a queue that is not overused: task by task, the first node (by name) on which reclaimable
// tasks of other, reclaimable queues make room. Nothing is evicted unless the task then really fits: filters are asked
// again after the tentative evictions, and the job must reach its gang minimum, else all of it is undone.
//
// Arguments: predicateErrorCacheEnable (accepted), victimRule (everyTier, see docs/compat.md).
#pragma once

#include "engine/core/policy.h"

namespace basalt::actions {

Result<engine::ActionRun> configure_reclaim(const engine::Arguments& arguments);

}  // namespace basalt::actions
