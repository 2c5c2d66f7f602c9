#include "control/volcano/job/job_pod_group.h"

#include <fmt/format.h>

#include "base/ascii.h"
#include "control/volcano/job/controlled_resources.h"
#include "control/volcano/job/expand/pod_group_builder.h"
#include "control/volcano/volcano_writes.h"
#include "kube/api/object_fields.h"
#include "kube/api/rules/member_access.h"

namespace basalt::volcano {
namespace {

using api::string_at;

const text::Object* find_group(const VolcanoContext& context, const JobView& job) {
  const text::Object* group =
      context.seen.find(VolcanoKind::PodGroup, fmt::format("{}/{}", job.namespace_name, job.group_name()));
  if (group != nullptr) return group;
  group = context.seen.find(VolcanoKind::PodGroup, fmt::format("{}/{}", job.namespace_name, job.name));
  return group != nullptr && controller_uid(*group, row_of(VolcanoKind::Job).group, "Job") == job.uid ? group : nullptr;
}

}  // namespace

bool JobPodGroup::is_admitted() const {
  if (current() == nullptr) return false;
  const std::string_view phase = string_at(*object, {"status", "phase"});
  return !phase.empty() && phase != "Pending";
}

JobPodGroup group_of(const VolcanoContext& context, const JobView& job) {
  JobPodGroup group{.object = find_group(context, job)};
  if (group.object == nullptr) return group;
  const std::string_view uid = string_at(*group.object, {"metadata", "uid"});
  group.retired = !uid.empty() && uid == remembered(job, kRetiredGroup);
  group.leaving = is_leaving(*group.object);
  return group;
}

void sync_pod_group(WritePlan& plan, const VolcanoContext& context, const JobView& job, const JobPodGroup& group) {
  const PriorityLookup priorities = [&](std::string_view name) {
    const text::Object* found = context.seen.find(VolcanoKind::PriorityClass, name);
    return found == nullptr ? 0 : api::int_at(*found, {"value"});
  };
  if (group.object == nullptr) {
    plan.write(create_object(VolcanoKind::PodGroup, make_pod_group(job, priorities)));
  } else if (group.current() == nullptr) {
    delete_pod_group(plan, group);
  } else if (auto change = pod_group_change(job, *group.object, priorities)) {
    plan.write(patch_object(VolcanoKind::PodGroup, *group.object, std::move(*change)));
  }
}

void delete_pod_group(WritePlan& plan, const JobPodGroup& group) {
  if (group.object != nullptr && !group.leaving) plan.write(delete_object(VolcanoKind::PodGroup, *group.object));
}

void note_unschedulable_group(WritePlan& plan, const JobView& job, const JobPodGroup& group) {
  if (group.current() == nullptr) return;
  const text::Object* newest = nullptr;
  api::rules::each_object(
      api::rules::part_of(*group.object, "status"), "conditions", [&](const text::Object& condition, size_t) {
        // Waiting is not Volcano's, and comes to the job by itself (job_waiting_reason.h).
        if (string_at(condition, "status") != "True" || string_at(condition, "type") == "Waiting") return;
        const bool later =
            newest == nullptr || string_at(condition, "lastTransitionTime") > string_at(*newest, "lastTransitionTime");
        if (later) newest = &condition;
      });
  if (newest == nullptr || string_at(*newest, "type") == "Scheduled") return;
  plan.notes.push_back(warning(VolcanoKind::Job, *job.object, "PodGroupPending",
                               fmt::format("PodGroup {}:{} {}, reason: {}", job.namespace_name, job.name,
                                           lower(string_at(*newest, "type")), string_at(*newest, "message"))));
}

}  // namespace basalt::volcano
