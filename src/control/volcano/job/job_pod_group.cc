#include "control/volcano/job/job_pod_group.h"

#include <fmt/format.h>

#include "base/ascii.h"
#include "control/volcano/job/controlled_resources.h"
#include "control/volcano/job/expand/pod_group_builder.h"
#include "control/volcano/volcano_writes.h"
#include "kube/api/views/priority_class_view.h"
#include "kube/api/views/volcano_pod_group_view.h"

namespace basalt::volcano {
namespace {

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
  const std::string_view phase = api::PodGroupView(*object).status().phase();
  return !phase.empty() && phase != "Pending";
}

JobPodGroup group_of(const VolcanoContext& context, const JobView& job) {
  JobPodGroup group{.object = find_group(context, job)};
  if (group.object == nullptr) return group;
  const std::string_view uid = api::PodGroupView(*group.object).metadata().uid();
  group.retired = !uid.empty() && uid == remembered(job, kRetiredGroup);
  group.leaving = is_leaving(*group.object);
  return group;
}

void sync_pod_group(WritePlan& plan, const VolcanoContext& context, const JobView& job, const JobPodGroup& group) {
  const PriorityLookup priorities = [&](std::string_view name) {
    const text::Object* found = context.seen.find(VolcanoKind::PriorityClass, name);
    return found == nullptr ? 0 : api::PriorityClassView(*found).value();
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
  api::PodGroupConditionView newest;
  for (const api::PodGroupConditionView condition : api::PodGroupView(*group.object).status().conditions()) {
    // Waiting is not Volcano's, and comes to the job by itself (job_waiting_reason.h).
    if (condition.status() != "True" || condition.type() == "Waiting") continue;
    if (!newest || condition.last_transition_time() > newest.last_transition_time()) newest = condition;
  }
  if (!newest || newest.type() == "Scheduled") return;
  plan.notes.push_back(warning(VolcanoKind::Job, *job.object, "PodGroupPending",
                               fmt::format("PodGroup {}:{} {}, reason: {}", job.namespace_name, job.name,
                                           lower(newest.type()), newest.message())));
}

}  // namespace basalt::volcano
