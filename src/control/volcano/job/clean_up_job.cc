#include "control/volcano/job/clean_up_job.h"

#include "control/volcano/controller_annotations.h"
#include "control/volcano/job/job_status_change.h"
#include "control/volcano/job/plugin_objects.h"
#include "control/volcano/job/sync_job.h"
#include "control/volcano/volcano_writes.h"
#include "kube/api/views/metadata_view.h"

namespace basalt::volcano {

void clean_up_job(WritePlan& plan, const JobSnapshot& snapshot, const JobPodGroup& group, Instant now) {
  const JobView& job = snapshot.job;
  const bool may_resume = snapshot.phase == JobPhase::Aborting || snapshot.phase == JobPhase::Aborted;
  JobStatusDraft draft = JobStatusDraft::of(snapshot);
  draft.phase = snapshot.next(JobAction::SyncJob, snapshot.effective).phase;
  remove_pods(plan, snapshot);
  delete_pod_group(plan, group);
  delete_plugin_objects(plan, job, may_resume, draft.memory);
  plan.then();
  if (auto change = status_change(snapshot, draft, now)) {
    plan.write(patch_status(VolcanoKind::Job, *job.object, std::move(*change), RefuseIf::Changed));
  } else if (!api::StringMapView(job.annotations)[kDelayedActionsAnnotation].empty()) {
    plan.write(patch_object(
        VolcanoKind::Job, *job.object,
        {{"metadata", text::Object{{"annotations", text::Object{{kDelayedActionsAnnotation, nullptr}}}}}}));
  }
}

}  // namespace basalt::volcano
