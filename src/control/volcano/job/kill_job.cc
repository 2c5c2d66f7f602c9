#include "control/volcano/job/kill_job.h"

#include <fmt/format.h>

#include "kube/api/views/volcano_pod_group_view.h"

namespace basalt::volcano {

bool begins(const JobSnapshot& snapshot, const JobTransition& next) {
  if (next.call == JobOperation::SyncJob) return false;
  if (snapshot.phase == JobPhase::Restarting) return next.call == JobOperation::KillJob;
  if (next.retry_count != snapshot.job.retry_count) return true;
  const bool ending =
      next.phase == JobPhase::Aborting || next.phase == JobPhase::Completing || next.phase == JobPhase::Terminating;
  return ending && next.phase != snapshot.phase;
}

JobStatusDraft kill_draft(const JobSnapshot& snapshot, const JobTransition& next, const text::Object* group,
                          std::string_view action, std::string why) {
  JobStatusDraft draft = JobStatusDraft::of(snapshot);
  draft.phase = next.phase;
  // A job that is killed while it restarts goes on restarting: its finished pods have to go first.
  if (snapshot.phase == JobPhase::Restarting && next.phase != JobPhase::Failed) draft.phase = JobPhase::Restarting;
  draft.version = snapshot.job.version + 1;
  draft.retry_count = next.retry_count;
  draft.reason = std::string(action);
  draft.message = draft.phase == JobPhase::Failed ? retries_used_up(snapshot, why) : std::move(why);
  draft.memory[std::string(kRetiredGroup)] =
      group == nullptr ? std::nullopt : std::optional(std::string(api::PodGroupView(*group).metadata().uid()));
  return draft;
}

JobStatusDraft restart_draft(const JobSnapshot& snapshot, std::string_view action, std::string why) {
  JobStatusDraft draft = JobStatusDraft::of(snapshot);
  draft.phase = JobPhase::Restarting;
  draft.retry_count = snapshot.job.retry_count + 1;
  draft.reason = std::string(action);
  draft.message = std::move(why);
  return draft;
}

std::string retries_used_up(const JobSnapshot& snapshot, std::string_view last) {
  return fmt::format("retry {} is beyond maxRetry {}; {}", snapshot.job.retry_count, snapshot.job.max_retry, last);
}

}  // namespace basalt::volcano
