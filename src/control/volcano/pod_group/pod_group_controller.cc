#include "control/volcano/pod_group/pod_group_controller.h"

#include <algorithm>
#include <string>
#include <utility>

#include "control/volcano/pod_group/group_draft.h"
#include "control/volcano/writes.h"
#include "kube/api/object_fields.h"
#include "kube/api/rules/fields.h"
#include "kube/api/volcano_keys.h"
#include "kube/text/time.h"

namespace basalt::volcano {
namespace {

using api::string_at;
using api::rules::part_of;
namespace keys = api::keys;

constexpr size_t kMaxPodsAtOnce = 2'000;  // told their group by one plan; the next one goes on

std::string item_of(std::string_view space, std::string_view uid) {
  return std::string(space).append("/").append(kGroupPrefix).append(uid);
}

bool needs_group(const text::Object& pod) {
  const std::string_view phase = string_at(pod, {"status", "phase"});
  return !is_leaving(pod) && phase != "Succeeded" && phase != "Failed";
}

Instant creation_of(const text::Object& object) {
  const auto time = text::parse_time(string_at(object, {"metadata", "creationTimestamp"}));
  return time ? *time : kNever;
}

std::string_view name_in(std::string_view item) { return item.substr(item.find('/') + 1); }

// The pods of the group that have to be told, oldest first.
std::vector<const text::Object*> pods_for(const Observed& seen, const std::string& item) {
  std::vector<const text::Object*> pods;
  const std::string_view name = name_in(item);
  if (!name.starts_with(kGroupPrefix)) return pods;
  for (const std::string& key : seen.ungrouped_of(name.substr(kGroupPrefix.size()))) {
    const text::Object& pod = seen.ungrouped().find(key)->second->get_object();
    if (item_of(api::namespace_of(pod), home_uid(pod)) == item && needs_group(pod)) pods.push_back(&pod);
  }
  std::ranges::sort(pods, {}, [](const text::Object* pod) { return std::pair(creation_of(*pod), api::name_of(*pod)); });
  return pods;
}

bool is_scaled_to_none(const text::Object& workload) { return api::int_at(workload, {"spec", "replicas"}, 1) == 0; }

void tell_pods(const std::vector<const text::Object*>& pods, std::string_view group, Instant now, Plan& plan) {
  plan.then();
  for (const text::Object* pod : pods) {
    text::Object annotations{{keys::kGroupName, group}};
    plan.write(patch_object(Kind::Pod, *pod, {{"metadata", text::Object{{"annotations", std::move(annotations)}}}}));
    if (plan.stages.back().size() < kMaxPodsAtOnce) continue;
    plan.look_again(now);
    return;
  }
}

// The group is there, or will be; its pods are told afterwards.
Plan plan_with_pods(const World& world, const std::vector<const text::Object*>& pods, std::string_view name,
                    const text::Object* group, Instant now) {
  Plan plan;
  const text::Object& oldest = *pods.front();
  Inheritance inheritance;
  if (world.options.inherit_owner_annotations) inheritance = inheritance_of(world.seen, oldest);
  const Instant patience_ends = creation_of(oldest) + kOwnerPatience;
  if (group == nullptr && inheritance.missing > 0 && now < patience_ends) {
    plan.look_again(std::min(patience_ends, now + kOwnerPatience));
    return plan;
  }
  const bool one_template = workload_of(world.seen, oldest) != nullptr;
  const text::Object draft = draft_group(one_template ? *pods.back() : oldest, name, inheritance.annotations);
  if (group == nullptr) {
    plan.write(create_object(Kind::PodGroup, draft));
  } else if (one_template) {
    if (auto change = change_from_draft(draft, *group)) {
      plan.write(patch_object(Kind::PodGroup, *group, std::move(*change)));
    }
  }
  tell_pods(pods, name, now, plan);
  return plan;
}

Plan plan_pod_groups(const World& world, const std::string& item, Instant now) {
  Plan plan;
  const std::string_view name = name_in(item);
  const std::vector<const text::Object*> pods = pods_for(world.seen, item);
  const text::Object* group = world.seen.find(Kind::PodGroup, item);
  if (group != nullptr && is_leaving(*group)) return plan;  // its end wakes us
  if (group == nullptr && pods.empty()) return plan;
  const text::Object* workload = workload_of(world.seen, pods.empty() ? *group : *pods.front());
  if (workload != nullptr && is_scaled_to_none(*workload)) {
    // A pod that is newer than what we know of its owner waits for the owner's change.
    if (group != nullptr) plan.write(delete_object(Kind::PodGroup, *group));
    return plan;
  }
  if (!pods.empty()) return plan_with_pods(world, pods, name, group, now);
  if (!world.options.inherit_owner_annotations) return plan;
  const Inheritance inheritance = inheritance_of(world.seen, *group);
  if (auto change = inheritance.known == 0 ? std::nullopt : change_from_owners(inheritance.annotations, *group)) {
    plan.write(patch_object(Kind::PodGroup, *group, std::move(*change)));
  }
  return plan;
}

void wake_for_owner(const World& world, const Change& change, std::vector<std::string>& items) {
  if (change.now == nullptr) return;  // what it owned goes with it
  if (change.before != nullptr) {
    const text::Object& before = *change.before;
    const bool same = api::rules::same_member(api::metadata_of(before), api::metadata_of(*change.now), "annotations") &&
                      api::rules::same_member(part_of(before, "spec"), part_of(*change.now, "spec"), "replicas");
    if (same) return;
  }
  const std::string_view uid = string_at(*change.now, {"metadata", "uid"});
  std::string item = item_of(api::namespace_of(*change.now), uid);
  const bool concerned = world.seen.find(Kind::PodGroup, item) != nullptr || !world.seen.ungrouped_of(uid).empty();
  if (concerned) items.push_back(std::move(item));
}

void wake_pod_groups(const World& world, const Change& change, std::vector<std::string>& items) {
  switch (change.kind) {
    case Kind::Pod:
      if (change.now != nullptr) items.push_back(item_of(api::namespace_of(*change.now), home_uid(*change.now)));
      return;
    case Kind::PodGroup:
      if (change.now == nullptr && api::name_of(*change.before).starts_with(kGroupPrefix)) {
        items.emplace_back(change.key);
      }
      return;
    case Kind::ReplicaSet:
    case Kind::StatefulSet:
    case Kind::DaemonSet:
    case Kind::BatchJob:
      return wake_for_owner(world, change, items);
    default:
      return;
  }
}

// Why a pod stays without a group: its queue is closed, a quota, a webhook. Conflicts and outages pass.
void refused_pod_groups(const World& world, const std::string& item, const api::Call& call, const api::ApiError& error,
                        std::vector<Note>& notes) {
  const std::vector<const text::Object*> pods = pods_for(world.seen, item);
  if (call.verb != api::Verb::Create || pods.empty() || (error.code != 403 && error.code != 422)) return;
  notes.push_back(warning(Kind::Pod, *pods.front(), "FailedCreate", "Failed to create PodGroup: " + error.message));
}

}  // namespace

Controller pod_group_controller() {
  return {.name = "pg-controller", .wake = wake_pod_groups, .plan = plan_pod_groups, .refused = refused_pod_groups};
}

}  // namespace basalt::volcano
