#include "control/volcano/job/clean_up.h"

#include "control/volcano/job/objects.h"
#include "control/volcano/job/status_change.h"
#include "control/volcano/job/sync.h"
#include "control/volcano/marks.h"
#include "control/volcano/writes.h"
#include "kube/api/object_fields.h"

namespace basalt::volcano {

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

}  // namespace basalt::volcano
