#include "control/volcano/pod_group/pod_group_controller.h"

#include <algorithm>
#include <string>
#include <utility>

#include "control/volcano/pod_group/pod_group_draft.h"
#include "control/volcano/volcano_writes.h"
#include "kube/api/age_text.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/rules/member_access.h"
#include "kube/api/views/pod_view.h"
#include "kube/api/views/workload_view.h"
#include "kube/api/volcano_keys.h"

namespace basalt::volcano {
namespace {
using api::rules::part_of;
namespace keys = api::keys;

constexpr size_t kMaxPodsAtOnce = 2'000;  // told their group by one plan; the next one goes on

std::string item_of(std::string_view ns, std::string_view uid) {
  return std::string(ns).append("/").append(kGroupPrefix).append(uid);
}

bool needs_group(const text::Object& pod) {
  const std::string_view phase = api::PodView(pod).status().phase();
  return !is_leaving(pod) && phase != "Succeeded" && phase != "Failed";
}

Instant creation_of(const text::Object& pod) { return api::time_of(api::PodView(pod).metadata().creation_timestamp()); }

std::string_view name_in(std::string_view item) { return item.substr(item.find('/') + 1); }

// The pods of the group that have to be told, oldest first.
std::vector<const text::Object*> pods_for(const ControllerCache& seen, const std::string& item) {
  std::vector<const text::Object*> pods;
  const std::string_view name = name_in(item);
  if (!name.starts_with(kGroupPrefix)) return pods;
  for (const std::string& key : seen.ungrouped_of(name.substr(kGroupPrefix.size()))) {
    const text::Object& pod = seen.ungrouped().find(key)->second->get_object();
    if (item_of(api::namespace_of(pod), pod_group_owner_uid(pod)) == item && needs_group(pod)) pods.push_back(&pod);
  }
  std::ranges::sort(pods, {}, [](const text::Object* pod) { return std::pair(creation_of(*pod), api::name_of(*pod)); });
  return pods;
}

// A ReplicaSet or StatefulSet: this they have in common.
bool is_scaled_to_none(const text::Object& workload) {
  return api::ReplicaSetView(workload).spec().replicas().value_or(1) == 0;
}

void tell_pods(const std::vector<const text::Object*>& pods, std::string_view group, Instant now, WritePlan& plan) {
  plan.then();
  for (const text::Object* pod : pods) {
    text::Object annotations{{keys::kGroupName, group}};
    plan.write(
        patch_object(VolcanoKind::Pod, *pod, {{"metadata", text::Object{{"annotations", std::move(annotations)}}}}));
    if (plan.stages.back().size() < kMaxPodsAtOnce) continue;
    plan.look_again(now);
    return;
  }
}

// The group is there, or will be; its pods are told afterwards.
WritePlan plan_with_pods(const VolcanoContext& context, const std::vector<const text::Object*>& pods,
                         std::string_view name, const text::Object* group, Instant now) {
  WritePlan plan;
  const text::Object& oldest = *pods.front();
  OwnerAnnotations inheritance;
  if (context.options.inherit_owner_annotations) inheritance = owner_annotations_of(context.seen, oldest);
  const Instant patience_ends = creation_of(oldest) + kOwnerWaitTimeout;
  if (group == nullptr && inheritance.missing > 0 && now < patience_ends) {
    plan.look_again(std::min(patience_ends, now + kOwnerWaitTimeout));
    return plan;
  }
  const bool one_template = workload_of(context.seen, oldest) != nullptr;
  const text::Object draft = draft_group(one_template ? *pods.back() : oldest, name, inheritance.annotations);
  if (group == nullptr) {
    plan.write(create_object(VolcanoKind::PodGroup, draft));
  } else if (one_template) {
    if (auto change = change_from_draft(draft, *group)) {
      plan.write(patch_object(VolcanoKind::PodGroup, *group, std::move(*change)));
    }
  }
  tell_pods(pods, name, now, plan);
  return plan;
}

WritePlan plan_pod_groups(const VolcanoContext& context, const std::string& item, Instant now) {
  WritePlan plan;
  const std::string_view name = name_in(item);
  const std::vector<const text::Object*> pods = pods_for(context.seen, item);
  const text::Object* group = context.seen.find(VolcanoKind::PodGroup, item);
  if (group != nullptr && is_leaving(*group)) return plan;  // its end wakes us
  if (group == nullptr && pods.empty()) return plan;
  const text::Object* workload = workload_of(context.seen, pods.empty() ? *group : *pods.front());
  if (workload != nullptr && is_scaled_to_none(*workload)) {
    // A pod that is newer than what we know of its owner waits for the owner's change.
    if (group != nullptr) plan.write(delete_object(VolcanoKind::PodGroup, *group));
    return plan;
  }
  if (!pods.empty()) return plan_with_pods(context, pods, name, group, now);
  if (!context.options.inherit_owner_annotations) return plan;
  const OwnerAnnotations inheritance = owner_annotations_of(context.seen, *group);
  if (auto change = inheritance.known == 0 ? std::nullopt : change_from_owners(inheritance.annotations, *group)) {
    plan.write(patch_object(VolcanoKind::PodGroup, *group, std::move(*change)));
  }
  return plan;
}

void wake_for_owner(const VolcanoContext& context, const ObjectChange& change, std::vector<std::string>& items) {
  if (change.now == nullptr) return;  // what it owned goes with it
  if (change.before != nullptr) {
    const text::Object& before = *change.before;
    const bool same = api::rules::same_member(api::metadata_of(before), api::metadata_of(*change.now), "annotations") &&
                      api::rules::same_member(part_of(before, "spec"), part_of(*change.now, "spec"), "replicas");
    if (same) return;
  }
  const std::string_view uid = api::ObjectView(*change.now).metadata().uid();
  std::string item = item_of(api::namespace_of(*change.now), uid);
  const bool concerned =
      context.seen.find(VolcanoKind::PodGroup, item) != nullptr || !context.seen.ungrouped_of(uid).empty();
  if (concerned) items.push_back(std::move(item));
}

void wake_pod_groups(const VolcanoContext& context, const ObjectChange& change, std::vector<std::string>& items) {
  switch (change.kind) {
    case VolcanoKind::Pod:
      if (change.now != nullptr)
        items.push_back(item_of(api::namespace_of(*change.now), pod_group_owner_uid(*change.now)));
      return;
    case VolcanoKind::PodGroup:
      if (change.now == nullptr && api::name_of(*change.before).starts_with(kGroupPrefix)) {
        items.emplace_back(change.key);
      }
      return;
    case VolcanoKind::ReplicaSet:
    case VolcanoKind::StatefulSet:
    case VolcanoKind::DaemonSet:
    case VolcanoKind::BatchJob:
      return wake_for_owner(context, change, items);
    default:
      return;
  }
}

// Why a pod stays without a group: its queue is closed, a quota, a webhook. Conflicts and outages pass.
void refused_pod_groups(const VolcanoContext& context, const std::string& item, const api::Call& call,
                        const api::ApiError& error, std::vector<EventNote>& notes) {
  const std::vector<const text::Object*> pods = pods_for(context.seen, item);
  if (call.verb != api::Verb::Create || pods.empty() || (error.code != 403 && error.code != 422)) return;
  notes.push_back(
      warning(VolcanoKind::Pod, *pods.front(), "FailedCreate", "Failed to create PodGroup: " + error.message));
}

}  // namespace

VolcanoController pod_group_controller() {
  return {.name = "pg-controller", .wake = wake_pod_groups, .plan = plan_pod_groups, .refused = refused_pod_groups};
}

}  // namespace basalt::volcano
