#include "controllers/job/clean_up.h"

#include "api/object_fields.h"
#include "controllers/job/objects.h"
#include "controllers/job/status_change.h"
#include "controllers/job/sync.h"
#include "controllers/marks.h"
#include "controllers/writes.h"

namespace basalt::controllers {

void clean_up_job(Plan& plan, const JobPicture& picture, const JobGroup& group, Instant now) {
  const JobView& job = picture.job;
  const bool may_resume = picture.phase == JobPhase::Aborting || picture.phase == JobPhase::Aborted;
  StatusDraft draft = StatusDraft::of(picture);
  draft.phase = picture.next(JobAction::SyncJob, picture.effective).phase;
  remove_pods(plan, picture);
  remove_group(plan, group);
  remove_objects(plan, job, may_resume, draft.memory);
  plan.then();
  if (auto change = status_change(picture, draft, now)) {
    plan.write(patch_status(Kind::Job, *job.object, std::move(*change), Unless::Changed));
  } else if (!api::string_at(*job.annotations, kDelayedActions).empty()) {
    plan.write(patch_object(Kind::Job, *job.object,
                            {{"metadata", text::Object{{"annotations", text::Object{{kDelayedActions, nullptr}}}}}}));
  }
}

}  // namespace basalt::controllers
