// allocate: places the pending tasks of jobs that were let in.
//
// Turn by turn: the first queue that is not overused gives its first job; the job's tasks are placed in task order
// until the gang is ready, and committed then. A ready gang with tasks left gets one more task per turn, competing
// anew. A gang that only waits for resources being released keeps its place for the cycle; one that cannot get ready
// leaves no trace.
//
// Arguments
//   predicateErrorCacheEnable (false)      pods of one role share their refusals, see role_refusals.h
//   schedulingGatesQueueAdmission (false)  report pods that passed the queue's check, so that their queue-allocation
//                                          gate is removed
#pragma once

#include "engine/core/policy.h"

namespace basalt::actions {

Result<engine::ActionRun> configure_allocate(const engine::Arguments& arguments);

}  // namespace basalt::actions
