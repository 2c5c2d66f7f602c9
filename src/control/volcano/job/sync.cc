#include "control/volcano/job/sync.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "control/volcano/job/create_pods.h"
#include "control/volcano/job/expand/claims.h"
#include "control/volcano/job/kill.h"
#include "control/volcano/job/memory.h"
#include "control/volcano/job/objects.h"
#include "control/volcano/job/status_change.h"
#include "control/volcano/job/waiting.h"
#include "control/volcano/marks.h"
#include "control/volcano/writes.h"
#include "kube/api/object_fields.h"
#include "kube/api/volcano_keys.h"

namespace basalt::volcano {
namespace {

using api::string_at;

bool is_initiated(JobPhase phase) { return phase == JobPhase::Running || phase == JobPhase::Restarting; }

bool hands_over(const text::Object* queue) {
  const text::Array* clusters = queue == nullptr ? nullptr : api::array_at(*queue, {"spec", "extendClusters"});
  return clusters != nullptr && !clusters->empty();
}

// What the job's own metadata and spec have to say besides.
std::optional<text::Object> own_change(const JobPicture& picture, bool forwarded,
                                       const std::optional<std::string>& delayed) {
  const JobView& job = picture.job;
  text::Object change;
  if (!is_initiated(picture.phase) && !job.volumes.empty()) {
    if (auto names = claim_names_change(job)) change = std::move(*names);
  }
  text::Object notes;
  if (forwarded && string_at(*job.annotations, api::keys::kJobForwarding) != "true") {
    notes[api::keys::kJobForwarding] = "true";
  }
  if (delayed) notes[kDelayedActions] = delayed->empty() ? text::Value(nullptr) : text::Value(*delayed);
  if (!notes.empty()) api::metadata_of(change)["annotations"] = std::move(notes);
  if (change.empty()) return std::nullopt;
  return change;
}

// Claims that the job brings along are made; false: one that has to come from elsewhere is not there.
bool keep_claims(Plan& plan, const World& world, const JobView& job, MemoryChange& memory) {
  if (job.volumes.empty()) return true;
  bool complete = true;
  for (const JobClaim& claim : job_claims(job)) {
    const bool there = world.seen.find(Kind::Claim, fmt::format("{}/{}", job.namespace_name, claim.name)) != nullptr;
    if (!there && claim.ours && claim.spec != nullptr) {
      plan.write(create_object(Kind::Claim, make_claim(job, claim)));
    } else if (!there && claim.must_exist()) {
      plan.notes.push_back(warning(Kind::Job, *job.object, "PVCError",
                                   fmt::format("Failed to create PVC, err: {}", missing_claim_message(claim.name))));
      complete = false;
      continue;
    }
    memory[claim_resource_key(claim.name)] = claim.name;
  }
  return complete;
}

// The next phase, and why, as far as it is worth a word.
void put_next(StatusDraft& draft, const JobPicture& picture, const Transition& next) {
  draft.phase = next.phase == JobPhase::None ? JobPhase::Pending : next.phase;
  const PodCounts& counts = picture.counts;
  const int64_t replicas = picture.job.total_replicas();
  if (draft.phase == JobPhase::Completed) {
    draft.reason = "Completed";
    draft.message = fmt::format("{} of {} pods succeeded", counts.succeeded, replicas);
  } else if (draft.phase == JobPhase::Failed && picture.phase == JobPhase::Restarting) {
    draft.message = retries_used_up(picture, string_at(*picture.job.status, {"state", "message"}));
  } else if (draft.phase == JobPhase::Failed) {
    draft.reason = "Failed";
    draft.message = fmt::format("{} of {} pods succeeded, {} failed; minAvailable is {}", counts.succeeded, replicas,
                                counts.failed, picture.job.min_available);
  }
}

// Pods that the status counts as ended and that are gone, while the job goes on and nothing of its own removed them.
int64_t finished_pods_lost(const JobPicture& picture) {
  if (picture.phase != JobPhase::Pending && picture.phase != JobPhase::Running) return 0;
  const text::Object& status = *picture.job.status;
  int64_t written = 0;
  for (const std::string_view key : {"pending", "running", "succeeded", "failed", "terminating", "unknown"}) {
    written += api::int_at(status, {key});
  }
  if (written > picture.job.total_replicas()) return 0;  // scaled down: some had to go
  int64_t gone = api::int_at(status, {"succeeded"}) + api::int_at(status, {"failed"});
  for (const PlacedPod& placed : picture.pods) gone -= placed.pod->alive() ? 0 : 1;
  return std::max<int64_t>(gone, 0);
}

// The write that corrects the count notes them, so each is told once.
void tell_of_lost_pods(Plan& plan, const JobPicture& picture, StatusDraft& draft) {
  const int64_t lost = finished_pods_lost(picture);
  if (lost == 0) return;
  const std::string_view known = remembered(picture.job, kFinishedPodsLost);
  int64_t before = 0;
  std::from_chars(known.data(), known.data() + known.size(), before);
  draft.memory[std::string(kFinishedPodsLost)] = std::to_string(before + lost);
  plan.notes.push_back(
      warning(Kind::Job, *picture.job.object, "FinishedPodsLost",
              fmt::format("{} finished pods were deleted before the job is over; they are made and run "
                          "again. Is the limit of terminated pods below the size of the job?",
                          lost)));
}

Transition next_of(const JobPicture& picture) {
  Transition next = picture.next(JobAction::SyncJob, picture.effective);
  // A restart is over only when everything that has to go is on its way.
  const bool must_wait =
      picture.phase == JobPhase::Restarting && next.phase != JobPhase::Failed && picture.has(PodFate::Remove);
  if (must_wait) next.phase = JobPhase::Restarting;
  return next;
}

}  // namespace

void remove_pods(Plan& plan, const JobPicture& picture) {
  const std::string_view space = picture.job.namespace_name;
  for (const PlacedPod& placed : picture.pods) {
    if (placed.fate == PodFate::Remove) plan.write(delete_pod(space, *placed.pod));
    if (placed.fate == PodFate::MarkFirst) {
      plan.write(
          patch_pod(space, *placed.pod,
                    {{"metadata", text::Object{{"annotations", text::Object{{api::keys::kOutOfSync, "true"}}}}}}));
    }
  }
}

void sync_job(Plan& plan, const World& world, const JobPicture& picture, const JobGroup& group,
              const UnderWay& under_way, Instant now) {
  const JobView& job = picture.job;
  const text::Object* queue = world.seen.find(Kind::Queue, job.queue);
  if (queue == nullptr) {
    plan.notes.push_back(warning(Kind::Job, *job.object, "QueueNotFound",
                                 fmt::format("queue.scheduling.volcano.sh \"{}\" not found", job.queue)));
    if (picture.phase == JobPhase::None) return;
  }
  remove_pods(plan, picture);
  if (auto change = own_change(picture, hands_over(queue), under_way.delayed)) {
    plan.write(patch_object(Kind::Job, *job.object, std::move(*change), Unless::Changed));
    return;
  }
  StatusDraft draft = StatusDraft::of(picture);
  put_next(draft, picture, next_of(picture));
  tell_of_lost_pods(plan, picture, draft);
  if (!under_way.command) put_wait(plan, draft, picture, group);
  const bool goes_on = is_working(draft.phase) && queue != nullptr;
  if (goes_on) {
    const bool complete = keep_objects(plan, world, job, draft.memory) &&
                          (is_initiated(picture.phase) || keep_claims(plan, world, job, draft.memory));
    if (complete) keep_group(plan, world, job, group);
    plan.then();
    if (complete && group.is_admitted()) create_pods(plan, picture, hands_over(queue), now);
    tell_of_group(plan, job, group);
  }
  write_status(plan, picture, draft, now);
}

}  // namespace basalt::volcano
