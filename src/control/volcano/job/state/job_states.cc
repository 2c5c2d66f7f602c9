#include "control/volcano/job/state/job_states.h"

#include <algorithm>
#include <array>

namespace basalt::volcano {
namespace {

constexpr std::array<std::string_view, kJobPhases> kPhases = {
    "",           "Pending",   "Running",     "Restarting", "Aborting", "Aborted",
    "Completing", "Completed", "Terminating", "Terminated", "Failed"};
constexpr std::array<std::string_view, kJobActions> kActions = {
    "SyncJob",          "AbortJob",     "RestartJob",  "RestartTask", "RestartPod",
    "RestartPartition", "TerminateJob", "CompleteJob", "ResumeJob",   ""};

}  // namespace

JobPhase phase_of(std::string_view word) {
  const auto at = std::ranges::find(kPhases, word);
  return at == kPhases.end() ? JobPhase::None : static_cast<JobPhase>(at - kPhases.begin());
}

JobAction action_of(std::string_view word) {
  const auto at = std::ranges::find(kActions, word);
  return at == kActions.end() ? JobAction::Other : static_cast<JobAction>(at - kActions.begin());
}

std::string_view to_text(JobPhase phase) { return kPhases[static_cast<size_t>(phase)]; }
std::string_view to_text(JobAction action) { return kActions[static_cast<size_t>(action)]; }

bool is_targeted(JobAction action) {
  return action == JobAction::RestartTask || action == JobAction::RestartPod || action == JobAction::RestartPartition;
}

bool is_final(JobPhase phase) {
  return phase == JobPhase::Completed || phase == JobPhase::Failed || phase == JobPhase::Terminated;
}

bool is_working(JobPhase phase) {
  return phase == JobPhase::None || phase == JobPhase::Pending || phase == JobPhase::Running ||
         phase == JobPhase::Restarting;
}

}  // namespace basalt::volcano
