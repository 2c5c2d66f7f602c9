// The state machine of a job as one pure function: a phase, an action and what the pods do → the next phase.
//
//                 SyncJob            RestartJob          Restart{Task,Pod,Partition}  Abort/Complete/Terminate
//                 ResumeJob
//   ""/Pending    sync, → Running    kill(none)          target                       kill(soft)                sync
//   Running       sync, see below    → Restarting, +1    → Restarting, +1             → Aborting/…ing           sync
//   Restarting    sync, R            kill(none), R       target, R                    kill(none), R kill(none), R
//   Aborting      kill(soft), → Aborted when no pod is alive, whatever the action; but ResumeJob → Restarting, +1
//   Aborted       kill(soft), stays, whatever the action;                          but ResumeJob → Restarting, +1
//   Completing, Terminating    kill(soft), → Completed, Terminated when no pod is alive, whatever the action
//   Completed, Failed, Terminated    kill(soft), stays
//
// "+1" raises the retry count. R: the count reached maxRetry → Failed; else, when enough places are not taken by pods
// that still have to end → Pending. An unknown action takes the way of the phase's default, which is mostly SyncJob's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "control/volcano/job/state/job_states.h"

namespace basalt::volcano {

struct PodCounts {
  int64_t pending = 0, running = 0, succeeded = 0, failed = 0, terminating = 0, unknown = 0;
  friend bool operator==(const PodCounts&, const PodCounts&) = default;
};

// A task as far as completion asks for it.
struct TaskOutcome {
  int64_t replicas = 0;
  std::optional<int64_t> min_available;
  bool counted = false;  // some pod of it has been seen
  int64_t succeeded = 0;
};

struct TransitionInput {
  int64_t replicas = 0;  // of all tasks
  int64_t min_available = 0;
  int64_t known_min_available = 0;  // status.minAvailable, which restarts go by
  int64_t max_retry = 0, retry_count = 0;
  std::optional<int64_t> min_success;
  std::span<const TaskOutcome> tasks;
};

enum class JobOperation : uint8_t { SyncJob, KillJob, KillTarget };
enum class PodRetainPhase : uint8_t { None, Soft };  // Soft: pods that succeeded or failed are kept

struct JobTransition {
  JobOperation call = JobOperation::SyncJob;
  PodRetainPhase retain = PodRetainPhase::None;  // of KillJob
  JobPhase phase = JobPhase::None;
  int64_t retry_count = 0;
  bool changed = false;     // the phase was decided anew
  bool no_verdict = false;  // this cell never looks at the pods
};

[[nodiscard]] JobTransition transition(JobPhase phase, JobAction action, const PodCounts& counts,
                                       const TransitionInput& job);

}  // namespace basalt::volcano
