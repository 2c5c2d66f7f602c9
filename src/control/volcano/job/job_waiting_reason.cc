#include "control/volcano/job/job_waiting_reason.h"

#include <utility>

#include "control/volcano/job/controlled_resources.h"
#include "control/volcano/volcano_writes.h"
#include "kube/api/object_fields.h"
#include "kube/api/rules/member_access.h"

namespace basalt::volcano {
namespace {

using api::string_at;

struct GroupWait {
  std::string_view reason, message;  // "": it does not wait
};

GroupWait wait_of(const JobSnapshot& snapshot, const JobPodGroup& group) {
  GroupWait wait;
  if (group.current() == nullptr) return wait;
  // The pods know it sooner than the group tells it.
  const PodCounts& counts = snapshot.counts;
  if (counts.running + counts.succeeded >= snapshot.job.min_available && counts.running + counts.succeeded > 0) {
    return wait;
  }
  api::rules::each_object(
      api::rules::part_of(*group.object, "status"), "conditions", [&](const text::Object& condition, size_t) {
        if (string_at(condition, "type") != "Waiting") return;
        if (string_at(condition, "status") != "True") return;
        wait = {.reason = string_at(condition, "reason"), .message = string_at(condition, "message")};
      });
  return wait;
}

}  // namespace

void set_waiting_reason(WritePlan& plan, JobStatusDraft& draft, const JobSnapshot& snapshot, const JobPodGroup& group) {
  const bool may_wait = draft.phase == JobPhase::Pending || draft.phase == JobPhase::Running;
  if (!may_wait || draft.reason || draft.message) return;
  const GroupWait wait = wait_of(snapshot, group);
  const std::string_view told = remembered(snapshot.job, kWaiting);
  if (wait.reason.empty() && told.empty()) return;
  draft.reason = wait.reason;
  draft.message = wait.message;
  draft.about_wait = true;
  if (wait.reason == told) return;
  draft.memory[std::string(kWaiting)] =
      wait.reason.empty() ? std::nullopt : std::optional<std::string>(std::string(wait.reason));
  if (wait.reason.empty()) return;
  plan.notes.push_back(
      warning(VolcanoKind::Job, *snapshot.job.object, std::string(wait.reason), std::string(wait.message)));
}

}  // namespace basalt::volcano
