#include "control/volcano/job/group.h"

#include <fmt/format.h>

#include "base/ascii.h"
#include "control/volcano/job/expand/pod_group.h"
#include "control/volcano/job/memory.h"
#include "control/volcano/writes.h"
#include "kube/api/object_fields.h"
#include "kube/api/rules/fields.h"

namespace basalt::volcano {
namespace {

using api::string_at;

const text::Object* find_group(const World& world, const JobView& job) {
  const text::Object* group =
      world.seen.find(Kind::PodGroup, fmt::format("{}/{}", job.namespace_name, job.group_name()));
  if (group != nullptr) return group;
  group = world.seen.find(Kind::PodGroup, fmt::format("{}/{}", job.namespace_name, job.name));
  return group != nullptr && controller_uid(*group, row_of(Kind::Job).group, "Job") == job.uid ? group : nullptr;
}

}  // namespace

bool JobGroup::is_admitted() const {
  if (current() == nullptr) return false;
  const std::string_view phase = string_at(*object, {"status", "phase"});
  return !phase.empty() && phase != "Pending";
}

JobGroup group_of(const World& world, const JobView& job) {
  JobGroup group{.object = find_group(world, job)};
  if (group.object == nullptr) return group;
  const std::string_view uid = string_at(*group.object, {"metadata", "uid"});
  group.retired = !uid.empty() && uid == remembered(job, kRetiredGroup);
  group.leaving = is_leaving(*group.object);
  return group;
}

void keep_group(Plan& plan, const World& world, const JobView& job, const JobGroup& group) {
  const PriorityLookup priorities = [&](std::string_view name) {
    const text::Object* found = world.seen.find(Kind::PriorityClass, name);
    return found == nullptr ? 0 : api::int_at(*found, {"value"});
  };
  if (group.object == nullptr) {
    plan.write(create_object(Kind::PodGroup, make_pod_group(job, priorities)));
  } else if (group.current() == nullptr) {
    remove_group(plan, group);
  } else if (auto change = pod_group_change(job, *group.object, priorities)) {
    plan.write(patch_object(Kind::PodGroup, *group.object, std::move(*change)));
  }
}

void remove_group(Plan& plan, const JobGroup& group) {
  if (group.object != nullptr && !group.leaving) plan.write(delete_object(Kind::PodGroup, *group.object));
}

void tell_of_group(Plan& plan, const JobView& job, const JobGroup& group) {
  if (group.current() == nullptr) return;
  const text::Object* newest = nullptr;
  api::rules::each_object(
      api::rules::part_of(*group.object, "status"), "conditions", [&](const text::Object& condition, size_t) {
        // Waiting is not Volcano's, and comes to the job by itself (waiting.h).
        if (string_at(condition, "status") != "True" || string_at(condition, "type") == "Waiting") return;
        const bool later =
            newest == nullptr || string_at(condition, "lastTransitionTime") > string_at(*newest, "lastTransitionTime");
        if (later) newest = &condition;
      });
  if (newest == nullptr || string_at(*newest, "type") == "Scheduled") return;
  plan.notes.push_back(warning(Kind::Job, *job.object, "PodGroupPending",
                               fmt::format("PodGroup {}:{} {}, reason: {}", job.namespace_name, job.name,
                                           lower(string_at(*newest, "type")), string_at(*newest, "message"))));
}

}  // namespace basalt::volcano
