// preempt: a starving job takes from less deserving jobs of its own queue, then from its own lesser tasks.
//
// Between jobs: for each starving job, task by task, a node is searched on which victims make room; the job keeps what
// it got only if its gang then waits on real room, else all of it is undone. Within a job: each pending task may
// displace lesser tasks of the same job, one by one.
//
// Arguments
//   enableTopologyAwarePreemption (false)  compare several nodes and take the one with the least harm
//                                          (eviction/least_harm.cc)
//   minCandidateNodesPercentage (10), minCandidateNodesAbsolute (1), maxCandidateNodesAbsolute (100)
//                                          how many nodes that search compares
//   topologyAwarePreemptWorkerNum (16), predicateErrorCacheEnable (true)   accepted; they change no decision
//   victimRule (everyTier)                 see docs/compat.md
#pragma once

#include "engine/core/policy.h"

namespace basalt::actions {

Result<engine::ActionRun> configure_preempt(const engine::Arguments& arguments);

}  // namespace basalt::actions
