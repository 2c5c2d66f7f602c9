// The corners of the state machine that the recorded cases do not reach (tests/conformance has those).
#include "control/volcano/job/state/job_transition.h"

#include <gtest/gtest.h>

#include <array>

namespace basalt::volcano {
namespace {

TEST(JobTransition, WordsReadBack) {
  for (size_t i = 0; i < kJobPhases; ++i) {
    EXPECT_EQ(phase_of(to_text(static_cast<JobPhase>(i))), static_cast<JobPhase>(i));
  }
  for (size_t i = 0; i < kJobActions; ++i) {
    EXPECT_EQ(action_of(to_text(static_cast<JobAction>(i))), static_cast<JobAction>(i));
  }
  EXPECT_EQ(action_of("EnqueueJob"), JobAction::Other);
  EXPECT_EQ(phase_of("Nonsense"), JobPhase::None);
}

TEST(JobTransition, TaskThatFellShortFailsTheJob) {
  const std::array tasks = {TaskOutcome{.replicas = 2, .min_available = 2, .counted = true, .succeeded = 1},
                            TaskOutcome{.replicas = 2, .min_available = 1, .counted = true, .succeeded = 2}};
  TransitionInput job{.replicas = 4, .min_available = 3, .max_retry = 3, .tasks = tasks};
  const PodCounts counts{.succeeded = 3, .failed = 1};
  EXPECT_EQ(transition(JobPhase::Running, JobAction::SyncJob, counts, job).phase, JobPhase::Failed);
  job.min_available = 2;
  EXPECT_EQ(transition(JobPhase::Running, JobAction::SyncJob, counts, job).phase, JobPhase::Completed)
      << "the job asks for less than its tasks together";
}

TEST(JobTransition, RestartWaitsByTheMinimumThatTheStatusKnows) {
  TransitionInput job{.replicas = 4, .min_available = 1, .known_min_available = 3, .max_retry = 3, .retry_count = 1};
  EXPECT_EQ(transition(JobPhase::Restarting, JobAction::SyncJob, {.terminating = 2}, job).phase, JobPhase::Restarting);
  EXPECT_EQ(transition(JobPhase::Restarting, JobAction::SyncJob, {.terminating = 1}, job).phase, JobPhase::Pending);
  job.retry_count = 3;
  EXPECT_EQ(transition(JobPhase::Restarting, JobAction::SyncJob, {}, job).phase, JobPhase::Failed);
}

}  // namespace
}  // namespace basalt::volcano
