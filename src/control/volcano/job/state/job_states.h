// The states of a job: its phases, the actions that policies and commands name, and how they are spelled.
#pragma once

#include <cstdint>
#include <string_view>

namespace basalt::volcano {

enum class JobPhase : uint8_t {
  None,  // never seen by the controller
  Pending,
  Running,
  Restarting,
  Aborting,
  Aborted,
  Completing,
  Completed,
  Terminating,
  Terminated,
  Failed,
};
inline constexpr size_t kJobPhases = 11;

enum class JobAction : uint8_t {
  SyncJob,
  AbortJob,
  RestartJob,
  RestartTask,
  RestartPod,
  RestartPartition,
  TerminateJob,
  CompleteJob,
  ResumeJob,
  Other,  // any other word; commands may say what they like
};
inline constexpr size_t kJobActions = 10;

// A word that is no phase reads as None, one that is no action as Other.
[[nodiscard]] JobPhase phase_of(std::string_view word);
[[nodiscard]] JobAction action_of(std::string_view word);
[[nodiscard]] std::string_view to_text(JobPhase phase);
[[nodiscard]] std::string_view to_text(JobAction action);

// RestartTask, RestartPod, RestartPartition: some pods of the job, not all.
[[nodiscard]] bool is_targeted(JobAction action);
// Completed, Failed, Terminated: nothing leads out of them.
[[nodiscard]] bool is_final(JobPhase phase);
// None, Pending, Running, Restarting: the job has pods, or is about to have them.
[[nodiscard]] bool is_working(JobPhase phase);

}  // namespace basalt::volcano
