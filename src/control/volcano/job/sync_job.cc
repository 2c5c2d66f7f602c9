#include "control/volcano/job/sync_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "control/volcano/controller_annotations.h"
#include "control/volcano/job/controlled_resources.h"
#include "control/volcano/job/create_pods.h"
#include "control/volcano/job/expand/job_claims.h"
#include "control/volcano/job/job_status_change.h"
#include "control/volcano/job/job_waiting_reason.h"
#include "control/volcano/job/kill_job.h"
#include "control/volcano/job/plugin_objects.h"
#include "control/volcano/volcano_writes.h"
#include "kube/api/object_fields.h"
#include "kube/api/views/volcano_job_view.h"
#include "kube/api/views/volcano_queue_view.h"
#include "kube/api/volcano_keys.h"

namespace basalt::volcano {
namespace {

bool is_initiated(JobPhase phase) { return phase == JobPhase::Running || phase == JobPhase::Restarting; }

bool hands_over(const text::Object* queue) { return !api::QueueView(queue).spec().extend_clusters().empty(); }

// What the job's own metadata and spec have to say besides.
std::optional<text::Object> own_change(const JobSnapshot& snapshot, bool forwarded,
                                       const std::optional<std::string>& delayed) {
  const JobView& job = snapshot.job;
  text::Object change;
  if (!is_initiated(snapshot.phase) && !job.volumes.empty()) {
    if (auto names = claim_names_change(job)) change = std::move(*names);
  }
  text::Object notes;
  if (forwarded && api::StringMapView(job.annotations)[api::keys::kJobForwarding] != "true") {
    notes[api::keys::kJobForwarding] = "true";
  }
  if (delayed) notes[kDelayedActionsAnnotation] = delayed->empty() ? text::Value(nullptr) : text::Value(*delayed);
  if (!notes.empty()) api::metadata_of(change)["annotations"] = std::move(notes);
  if (change.empty()) return std::nullopt;
  return change;
}

// Claims that the job brings along are made. Answers one that has to come from elsewhere and is not there.
JobWait sync_claims(WritePlan& plan, const VolcanoContext& context, const JobView& job,
                    ControlledResourcesChange& memory) {
  JobWait missing;
  if (job.volumes.empty()) return missing;
  for (const JobClaim& claim : job_claims(job)) {
    const bool there =
        context.seen.find(VolcanoKind::Claim, fmt::format("{}/{}", job.namespace_name, claim.name)) != nullptr;
    if (!there && claim.ours && claim.spec != nullptr) {
      plan.write(create_object(VolcanoKind::Claim, make_claim(job, claim)));
    } else if (!there && claim.must_exist()) {
      plan.notes.push_back(warning(VolcanoKind::Job, *job.object, "PVCError",
                                   fmt::format("Failed to create PVC, err: {}", missing_claim_message(claim.name))));
      if (missing.reason.empty()) {
        missing = {.reason = "ClaimMissing",
                   .message = fmt::format("claim {} does not exist in namespace {}; the job waits until it is made",
                                          claim.name, job.namespace_name)};
      }
      continue;
    }
    memory[claim_resource_key(claim.name)] = claim.name;
  }
  return missing;
}

// Objects of plugins, claims and the PodGroup. Answers what cannot be made, or has to come from elsewhere.
JobWait sync_parts(WritePlan& plan, const VolcanoContext& context, const JobSnapshot& snapshot,
                   const JobPodGroup& group, ControlledResourcesChange& memory) {
  const JobView& job = snapshot.job;
  if (const auto brought = sync_plugin_objects(plan, context, job, memory); !brought) {
    return {.reason = "PluginError", .message = brought.error().message};
  }
  JobWait missing;
  if (!is_initiated(snapshot.phase)) missing = sync_claims(plan, context, job, memory);
  if (missing.reason.empty()) sync_pod_group(plan, context, job, group);
  return missing;
}

// The next phase, and why, as far as it is worth a word.
void put_next(JobStatusDraft& draft, const JobSnapshot& snapshot, const JobTransition& next) {
  draft.phase = next.phase == JobPhase::None ? JobPhase::Pending : next.phase;
  const PodCounts& counts = snapshot.counts;
  const int64_t replicas = snapshot.job.total_replicas();
  if (draft.phase == JobPhase::Completed) {
    draft.reason = "Completed";
    draft.message = fmt::format("{} of {} pods succeeded", counts.succeeded, replicas);
  } else if (draft.phase == JobPhase::Failed && snapshot.phase == JobPhase::Restarting) {
    draft.message = retries_used_up(snapshot, api::VolcanoJobStatusView(*snapshot.job.status).state().message());
  } else if (draft.phase == JobPhase::Failed) {
    draft.reason = "Failed";
    draft.message = fmt::format("{} of {} pods succeeded, {} failed; minAvailable is {}", counts.succeeded, replicas,
                                counts.failed, snapshot.job.min_available);
  }
}

// Pods that the status counts as ended and that are gone, while the job goes on and nothing of its own removed them.
int64_t finished_pods_lost(const JobSnapshot& snapshot) {
  if (snapshot.phase != JobPhase::Pending && snapshot.phase != JobPhase::Running) return 0;
  const api::VolcanoJobStatusView status(*snapshot.job.status);
  int64_t written = 0;
  for (const std::optional<int64_t> count : {status.pending(), status.running(), status.succeeded(), status.failed(),
                                             status.terminating(), status.unknown()}) {
    written += count.value_or(0);
  }
  if (written > snapshot.job.total_replicas()) return 0;  // scaled down: some had to go
  int64_t gone = status.succeeded().value_or(0) + status.failed().value_or(0);
  for (const TaskPod& task_pod : snapshot.pods) gone -= task_pod.pod->alive() ? 0 : 1;
  return std::max<int64_t>(gone, 0);
}

// The write that corrects the count notes them, so each is told once.
void tell_of_lost_pods(WritePlan& plan, const JobSnapshot& snapshot, JobStatusDraft& draft) {
  const int64_t lost = finished_pods_lost(snapshot);
  if (lost == 0) return;
  const std::string_view known = remembered(snapshot.job, kFinishedPodsLost);
  int64_t before = 0;
  std::from_chars(known.data(), known.data() + known.size(), before);
  draft.memory[std::string(kFinishedPodsLost)] = std::to_string(before + lost);
  plan.notes.push_back(
      warning(VolcanoKind::Job, *snapshot.job.object, "FinishedPodsLost",
              fmt::format("{} finished pods were deleted before the job is over; they are made and run "
                          "again. Is the limit of terminated pods below the size of the job?",
                          lost)));
}

JobTransition next_of(const JobSnapshot& snapshot) {
  JobTransition next = snapshot.next(JobAction::SyncJob, snapshot.effective);
  // A restart is over only when everything that has to go is on its way.
  const bool must_wait =
      snapshot.phase == JobPhase::Restarting && next.phase != JobPhase::Failed && snapshot.has(PodDisposition::Remove);
  if (must_wait) next.phase = JobPhase::Restarting;
  return next;
}

}  // namespace

void remove_pods(WritePlan& plan, const JobSnapshot& snapshot) {
  const std::string_view ns = snapshot.job.namespace_name;
  for (const TaskPod& task_pod : snapshot.pods) {
    if (task_pod.disposition == PodDisposition::Remove) plan.write(delete_pod(ns, *task_pod.pod));
    if (task_pod.disposition == PodDisposition::Remove && task_pod.pod->lost) {
      plan.notes.push_back(
          warning(VolcanoKind::Job, *snapshot.job.object, "PodLost",
                  fmt::format("pod {} was lost when its node was restarted; it is made again", task_pod.pod->name)));
    }
    if (task_pod.disposition == PodDisposition::MarkFirst) {
      plan.write(
          patch_pod(ns, *task_pod.pod,
                    {{"metadata", text::Object{{"annotations", text::Object{{api::keys::kOutOfSync, "true"}}}}}}));
    }
  }
}

void sync_job(WritePlan& plan, const VolcanoContext& context, const JobSnapshot& snapshot, const JobPodGroup& group,
              const OngoingActions& ongoing, Instant now) {
  const JobView& job = snapshot.job;
  const text::Object* queue = context.seen.find(VolcanoKind::Queue, job.queue);
  if (queue == nullptr) {
    plan.notes.push_back(warning(VolcanoKind::Job, *job.object, "QueueNotFound",
                                 fmt::format("queue.scheduling.volcano.sh \"{}\" not found", job.queue)));
    if (snapshot.phase == JobPhase::None) return;
  }
  if (!ongoing.command && set_refusal(plan, context, snapshot, now)) return;
  if (auto change = own_change(snapshot, hands_over(queue), ongoing.delayed)) {
    plan.write(patch_object(VolcanoKind::Job, *job.object, std::move(*change), RefuseIf::Changed));
    return;
  }
  remove_pods(plan, snapshot);
  JobStatusDraft draft = JobStatusDraft::of(snapshot);
  draft.no_command = !ongoing.command;
  put_next(draft, snapshot, next_of(snapshot));
  tell_of_lost_pods(plan, snapshot, draft);
  JobWait missing;
  if (queue == nullptr)
    missing = {.reason = "QueueMissing", .message = fmt::format("queue {} does not exist", job.queue)};
  if (is_working(draft.phase) && queue != nullptr) {
    missing = sync_parts(plan, context, snapshot, group, draft.memory);
    plan.then();
    if (missing.reason.empty() && group.is_admitted()) {
      std::string failure = create_pods(plan, snapshot, hands_over(queue), now);
      if (!failure.empty()) missing = {.reason = "FailedCreate", .message = std::move(failure)};
    }
    note_unschedulable_group(plan, job, group);
  }
  if (!ongoing.command) set_waiting_reason(plan, context, draft, snapshot, group, std::move(missing), now);
  write_status(plan, snapshot, draft, now);
}

}  // namespace basalt::volcano
