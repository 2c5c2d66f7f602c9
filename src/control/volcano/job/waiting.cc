#include "control/volcano/job/waiting.h"

#include <utility>

#include "control/volcano/job/memory.h"
#include "control/volcano/writes.h"
#include "kube/api/object_fields.h"
#include "kube/api/rules/fields.h"

namespace basalt::volcano {
namespace {

using api::string_at;

struct GroupWait {
  std::string_view reason, message;  // "": it does not wait
};

GroupWait wait_of(const JobPicture& picture, const JobGroup& group) {
  GroupWait wait;
  if (group.current() == nullptr) return wait;
  // The pods know it sooner than the group tells it.
  const PodCounts& counts = picture.counts;
  if (counts.running + counts.succeeded >= picture.job.min_available && counts.running + counts.succeeded > 0) {
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

void put_wait(Plan& plan, StatusDraft& draft, const JobPicture& picture, const JobGroup& group) {
  const bool may_wait = draft.phase == JobPhase::Pending || draft.phase == JobPhase::Running;
  if (!may_wait || draft.reason || draft.message) return;
  const GroupWait wait = wait_of(picture, group);
  const std::string_view told = remembered(picture.job, kWaiting);
  if (wait.reason.empty() && told.empty()) return;
  draft.reason = wait.reason;
  draft.message = wait.message;
  draft.about_wait = true;
  if (wait.reason == told) return;
  draft.memory[std::string(kWaiting)] =
      wait.reason.empty() ? std::nullopt : std::optional<std::string>(std::string(wait.reason));
  if (wait.reason.empty()) return;
  plan.notes.push_back(warning(Kind::Job, *picture.job.object, std::string(wait.reason), std::string(wait.message)));
}

}  // namespace basalt::volcano
