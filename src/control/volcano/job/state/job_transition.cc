#include "control/volcano/job/state/job_transition.h"

#include <algorithm>

namespace basalt::volcano {
namespace {

// What decides the next phase, once the call is known.
enum class JobVerdict : uint8_t { Nothing, Start, Complete, Restart, Retry, EndWhenQuiet, Enter };

struct Cell {
  JobOperation call = JobOperation::SyncJob;
  PodRetainPhase retain = PodRetainPhase::None;
  JobVerdict verdict = JobVerdict::Nothing;
  JobPhase to = JobPhase::None;  // of Enter and EndWhenQuiet
};

constexpr Cell kKeepFinished{JobOperation::KillJob, PodRetainPhase::Soft, JobVerdict::Nothing, JobPhase::None};
constexpr Cell kResume{JobOperation::KillJob, PodRetainPhase::Soft, JobVerdict::Restart, JobPhase::Restarting};

constexpr Cell end_when_quiet(JobPhase end) {
  return {JobOperation::KillJob, PodRetainPhase::Soft, JobVerdict::EndWhenQuiet, end};
}
constexpr Cell enter(JobPhase phase) { return {JobOperation::KillJob, PodRetainPhase::Soft, JobVerdict::Enter, phase}; }

Cell of_live_job(JobAction action, JobVerdict sync) {
  switch (action) {
    case JobAction::RestartJob:
      return {JobOperation::KillJob, PodRetainPhase::None, JobVerdict::Restart, JobPhase::Restarting};
    case JobAction::RestartTask:
    case JobAction::RestartPod:
    case JobAction::RestartPartition:
      return {JobOperation::KillTarget, PodRetainPhase::None, JobVerdict::Restart, JobPhase::Restarting};
    case JobAction::AbortJob:
      return enter(JobPhase::Aborting);
    case JobAction::CompleteJob:
      return enter(JobPhase::Completing);
    case JobAction::TerminateJob:
      return enter(JobPhase::Terminating);
    default:
      return {JobOperation::SyncJob, PodRetainPhase::None, sync, JobPhase::None};
  }
}

Cell of_restarting_job(JobAction action) {
  if (action == JobAction::SyncJob)
    return {JobOperation::SyncJob, PodRetainPhase::None, JobVerdict::Retry, JobPhase::None};
  const JobOperation call = is_targeted(action) ? JobOperation::KillTarget : JobOperation::KillJob;
  return {call, PodRetainPhase::None, JobVerdict::Retry, JobPhase::None};
}

Cell cell_of(JobPhase phase, JobAction action) {
  switch (phase) {
    case JobPhase::None:
    case JobPhase::Pending:
      return of_live_job(action, JobVerdict::Start);
    case JobPhase::Running:
      return of_live_job(action, JobVerdict::Complete);
    case JobPhase::Restarting:
      return of_restarting_job(action);
    case JobPhase::Aborting:
      return action == JobAction::ResumeJob ? kResume : end_when_quiet(JobPhase::Aborted);
    case JobPhase::Aborted:
      return action == JobAction::ResumeJob ? kResume : kKeepFinished;
    case JobPhase::Completing:
      return end_when_quiet(JobPhase::Completed);
    case JobPhase::Terminating:
      return end_when_quiet(JobPhase::Terminated);
    default:
      return kKeepFinished;
  }
}

// A task fell short of its own minimum. Asked only when the job as a whole wants no less than its tasks together.
bool some_task_fell_short(const TransitionInput& job) {
  int64_t wanted = 0;
  for (const TaskOutcome& task : job.tasks) wanted += task.min_available.value_or(task.replicas);
  if (job.min_available < wanted) return false;
  return std::ranges::any_of(job.tasks, [](const TaskOutcome& task) {
    return task.min_available && task.counted && task.succeeded < *task.min_available;
  });
}

// The next phase of a running job; None: it stays.
JobPhase complete(const PodCounts& counts, const TransitionInput& job) {
  if (job.replicas == 0) return JobPhase::None;  // scaled to zero: it waits for better days
  if (job.min_success && counts.succeeded >= *job.min_success) return JobPhase::Completed;
  if (counts.succeeded + counts.failed == job.replicas) {
    if (some_task_fell_short(job) || job.min_success) return JobPhase::Failed;
    return counts.succeeded >= job.min_available ? JobPhase::Completed : JobPhase::Failed;
  }
  return counts.pending > job.replicas - job.min_available ? JobPhase::Pending : JobPhase::None;
}

JobPhase retry(const PodCounts& counts, const TransitionInput& job) {
  if (job.retry_count >= job.max_retry) return JobPhase::Failed;
  return job.replicas - counts.terminating >= job.known_min_available ? JobPhase::Pending : JobPhase::None;
}

JobPhase decide(const Cell& cell, const PodCounts& counts, const TransitionInput& job) {
  switch (cell.verdict) {
    case JobVerdict::Nothing:
      return JobPhase::None;
    case JobVerdict::Start:
      return job.min_available <= counts.running + counts.succeeded + counts.failed ? JobPhase::Running
                                                                                    : JobPhase::None;
    case JobVerdict::Complete:
      return complete(counts, job);
    case JobVerdict::Retry:
      return retry(counts, job);
    case JobVerdict::EndWhenQuiet:
      return counts.terminating + counts.pending + counts.running == 0 ? cell.to : JobPhase::None;
    case JobVerdict::Restart:
    case JobVerdict::Enter:
      return cell.to;
  }
  return JobPhase::None;
}

}  // namespace

JobTransition transition(JobPhase phase, JobAction action, const PodCounts& counts, const TransitionInput& job) {
  const Cell cell = cell_of(phase, action);
  const JobPhase next = decide(cell, counts, job);
  return {.call = cell.call,
          .retain = cell.retain,
          .phase = next == JobPhase::None ? phase : next,
          .retry_count = job.retry_count + (cell.verdict == JobVerdict::Restart ? 1 : 0),
          .changed = next != JobPhase::None,
          .no_verdict = cell.verdict == JobVerdict::Nothing};
}

}  // namespace basalt::volcano
