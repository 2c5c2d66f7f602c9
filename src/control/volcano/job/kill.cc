#include "control/volcano/job/kill.h"

#include <fmt/format.h>

#include "kube/api/object_fields.h"

namespace basalt::volcano {

bool begins(const JobPicture& picture, const Transition& next) {
  if (next.call == JobCall::SyncJob) return false;
  if (picture.phase == JobPhase::Restarting) return next.call == JobCall::KillJob;
  if (next.retry_count != picture.job.retry_count) return true;
  const bool ending =
      next.phase == JobPhase::Aborting || next.phase == JobPhase::Completing || next.phase == JobPhase::Terminating;
  return ending && next.phase != picture.phase;
}

StatusDraft kill_draft(const JobPicture& picture, const Transition& next, const text::Object* group,
                       std::string_view action, std::string why) {
  StatusDraft draft = StatusDraft::of(picture);
  draft.phase = next.phase;
  // A job that is killed while it restarts goes on restarting: its finished pods have to go first.
  if (picture.phase == JobPhase::Restarting && next.phase != JobPhase::Failed) draft.phase = JobPhase::Restarting;
  draft.version = picture.job.version + 1;
  draft.retry_count = next.retry_count;
  draft.reason = std::string(action);
  draft.message = draft.phase == JobPhase::Failed ? retries_used_up(picture, why) : std::move(why);
  draft.memory[std::string(kRetiredGroup)] =
      group == nullptr ? std::nullopt : std::optional(std::string(api::string_at(*group, {"metadata", "uid"})));
  return draft;
}

StatusDraft restart_draft(const JobPicture& picture, std::string_view action, std::string why) {
  StatusDraft draft = StatusDraft::of(picture);
  draft.phase = JobPhase::Restarting;
  draft.retry_count = picture.job.retry_count + 1;
  draft.reason = std::string(action);
  draft.message = std::move(why);
  return draft;
}

std::string retries_used_up(const JobPicture& picture, std::string_view last) {
  return fmt::format("retry {} is beyond maxRetry {}; {}", picture.job.retry_count, picture.job.max_retry, last);
}

}  // namespace basalt::volcano
