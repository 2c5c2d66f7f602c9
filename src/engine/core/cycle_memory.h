// What the engine keeps from cycle to cycle, beside the state itself.
//
//  * classes and their columns (task_classes.h)
//  * failure memory: a job that failed is not tried again before something it depended on has changed: its own pods and
//    pod group (Job::version), room on nodes (freed_version), and what plugins name in `job_inputs`. A gang of which a
//    part found nodes also depended on scores, and so on every placement (placed_version).
//  * quiet: the last cycle decided nothing, so an unchanged state needs no cycle at all.
//
// All of it is derived: dropping it changes no decision, only the time to reach it. Tests compare with and without.
#pragma once

#include <cstdint>

#include "engine/core/task_classes.h"
#include "engine/core/verdict.h"
#include "engine/model/cluster_state.h"

namespace basalt::engine {

struct JobFailure {
  uint64_t job_version = 0;
  uint64_t freed_version = 0;
  uint64_t placed_version = 0;  // 0: it failed before any of its tasks found a node, so other placements cannot help
  uint64_t inputs = 0;
  friend bool operator==(const JobFailure&, const JobFailure&) = default;
};

struct CycleMemory final : model::EngineMemory {
  uint64_t policy_fingerprint = 0;
  VerdictTable verdicts;
  TaskClassTable classes;
  IdVector<JobId, JobFailure> failures;
  uint64_t quiet_at_version = 0;  // 0: the last cycle was not quiet
};

}  // namespace basalt::engine
