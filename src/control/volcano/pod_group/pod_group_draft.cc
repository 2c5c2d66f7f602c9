#include "control/volcano/pod_group/pod_group_draft.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "control/volcano/pod_group_parts.h"
#include "control/volcano/volcano_writes.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/rules/member_access.h"
#include "kube/api/rules/resource_checks.h"
#include "kube/api/views/metadata_view.h"
#include "kube/api/views/pod_spec_view.h"
#include "kube/api/views/volcano_pod_group_view.h"
#include "kube/api/volcano_keys.h"
#include "kube/text/scalar.h"

namespace basalt::volcano {
namespace {
using api::rules::part_of;
namespace keys = api::keys;

constexpr std::string_view kInheritedPrefix = "volcano.sh/";
constexpr std::array kWorkloads = {VolcanoKind::ReplicaSet, VolcanoKind::StatefulSet};
constexpr std::array kOwners = {VolcanoKind::ReplicaSet, VolcanoKind::StatefulSet, VolcanoKind::DaemonSet,
                                VolcanoKind::BatchJob};
// Of these the pod's own word goes before its owner's.
constexpr std::array kFromPod = {keys::kPreemptable, keys::kCooldownTime, keys::kRevocableZone, keys::kMinAvailable,
                                 keys::kMaxUnavailable};

// By group and kind: a Job may be Kubernetes' or Volcano's.
template <size_t N>
std::optional<VolcanoKind> kind_among(const std::array<VolcanoKind, N>& kinds, api::OwnerReferenceView reference) {
  const std::string_view version = reference.api_version();
  for (const VolcanoKind kind : kinds) {
    if (row_of(kind).name != reference.kind()) continue;
    if (row_of(kind).group == version.substr(0, version.find('/'))) return kind;
  }
  return std::nullopt;
}

const text::Object* owner_of(const ControllerCache& seen, const text::Object& object, VolcanoKind kind,
                             api::OwnerReferenceView reference) {
  std::string key(api::namespace_of(object));
  key.append("/").append(reference.name());
  const text::Object* owner = seen.find(kind, key);
  const bool same = owner != nullptr && api::ObjectView(*owner).metadata().uid() == reference.uid();
  return same ? owner : nullptr;
}

// What the owners' annotation says, if it says something sensible.
std::optional<int64_t> min_member_in(const text::Object& inherited) {
  const auto number = text::parse_int32(api::StringMapView(&inherited)[keys::kGroupMinMember]);
  if (!number || *number < 0) return std::nullopt;
  return *number;
}

std::optional<text::Object> topology_of(const text::Object& annotations) {
  const bool has_mode = annotations.contains(keys::kNetworkTopologyMode);
  const bool has_tier = annotations.contains(keys::kNetworkTopologyTier);
  if (!has_mode && !has_tier) return std::nullopt;
  std::string mode{api::StringMapView(&annotations)[keys::kNetworkTopologyMode]};
  std::ranges::transform(mode, mode.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  text::Object topology{{"mode", mode == "soft" ? "soft" : "hard"}};
  const auto tier = text::parse_int(api::StringMapView(&annotations)[keys::kNetworkTopologyTier]);
  if (tier && *tier >= 0) topology["highestTierAllowed"] = *tier;  // the schema knows no tier below 0
  return topology;
}

text::Array owners_for(const text::Object& pod) {
  const text::Array* references = api::ObjectView(pod).metadata().owner_references().json();
  const bool controlled = !controller_uid(pod, "", "").empty();
  if (references != nullptr && controlled) return *references;
  return {controller_reference(VolcanoKind::Pod, pod)};
}

text::Object annotations_for(const text::Object& pod, const text::Object& inherited) {
  text::Object annotations;
  for (const auto& member : inherited) {
    if (std::string_view(member.key()).starts_with(kInheritedPrefix)) annotations[member.key()] = member.value();
  }
  const text::Object& own = part_of(part_of(pod, "metadata"), "annotations");
  for (const std::string_view key : kFromPod) {
    if (key == keys::kMaxUnavailable && own.contains(keys::kMinAvailable)) continue;  // one of the two counts
    if (own.contains(key)) annotations[key] = own.at(key);
  }
  return annotations;
}

void put_changes(text::Object& change, std::string_view key, text::Object members) {
  if (!members.empty()) change[key] = std::move(members);
}

std::optional<text::Object> patch_of(text::Object metadata, text::Object spec) {
  text::Object change;
  put_changes(change, "metadata", std::move(metadata));
  put_changes(change, "spec", std::move(spec));
  if (change.empty()) return std::nullopt;
  return change;
}

// minResources of `count` of the pods that `resources` is about: it counts them itself, under "pods".
std::optional<text::Object> scaled(const text::Object& resources, int64_t count) {
  const text::Value* pods = resources.if_contains("pods");
  const int64_t before = pods == nullptr ? 0 : api::rules::amount_of(*pods).value();
  if (before <= 0) return std::nullopt;
  text::Object out;
  for (const auto& member : resources) {
    const text::Quantity all = api::rules::amount_of(member.value());
    const int64_t milli = all.milli_value();
    const int64_t one = milli / before + (milli % before > 0 ? 1 : 0);
    if (count > 0) out[member.key()] = times(text::Quantity::from_milli(one, all.format()), count).to_string();
  }
  return out;
}

}  // namespace

OwnerAnnotations owner_annotations_of(const ControllerCache& seen, const text::Object& object) {
  OwnerAnnotations inheritance;
  for (const api::OwnerReferenceView reference : api::ObjectView(object).metadata().owner_references()) {
    const std::optional<VolcanoKind> kind = kind_among(kOwners, reference);
    if (!kind) continue;
    const text::Object* owner = owner_of(seen, object, *kind, reference);
    ++(owner == nullptr ? inheritance.missing : inheritance.known);
    if (owner == nullptr) continue;
    for (const auto& member : part_of(part_of(*owner, "metadata"), "annotations")) {
      inheritance.annotations.emplace(member.key(), member.value());
    }
  }
  return inheritance;
}

const text::Object* workload_of(const ControllerCache& seen, const text::Object& object) {
  const text::Object* workload = nullptr;
  for (const api::OwnerReferenceView reference : api::ObjectView(object).metadata().owner_references()) {
    const std::optional<VolcanoKind> kind = kind_among(kWorkloads, reference);
    if (kind && reference.controller().value_or(false)) workload = owner_of(seen, object, *kind, reference);
  }
  return workload;
}

text::Object draft_group(const text::Object& pod, std::string_view name, const text::Object& inherited) {
  text::Object metadata{{"namespace", api::namespace_of(pod)}, {"name", name}, {"ownerReferences", owners_for(pod)}};
  put_changes(metadata, "annotations", annotations_for(pod, inherited));
  text::Object labels;
  const text::Object& pod_labels = part_of(part_of(pod, "metadata"), "labels");
  for (const std::string_view key : {keys::kPreemptable, keys::kCooldownTime}) {
    if (pod_labels.contains(key)) labels[key] = pod_labels.at(key);
  }
  put_changes(metadata, "labels", std::move(labels));

  const text::Object& pod_spec = part_of(pod, "spec");
  const int64_t min_member = min_member_in(inherited).value_or(1);
  text::Object spec{{"minMember", min_member}};
  api::ResourceList amounts;
  add_pods(amounts, pod_spec, min_member);
  text::Object& resources = api::object_in(spec, "minResources");
  for (const auto& [resource, amount] : amounts) resources[resource] = amount.to_string();
  const std::string_view priority = api::PodSpecView(pod_spec).priority_class_name();
  if (!priority.empty()) spec["priorityClassName"] = priority;
  const text::Object& annotations = part_of(part_of(pod, "metadata"), "annotations");
  const std::string_view queue = api::StringMapView(&annotations)[keys::kQueueName];
  if (!queue.empty()) spec["queue"] = queue;
  if (auto topology = topology_of(annotations)) spec["networkTopology"] = std::move(*topology);
  return {{"apiVersion", api_version_of(VolcanoKind::PodGroup)},
          {"kind", row_of(VolcanoKind::PodGroup).name},
          {"metadata", std::move(metadata)},
          {"spec", std::move(spec)}};
}

std::optional<text::Object> change_from_draft(const text::Object& draft, const text::Object& group) {
  text::Object metadata;
  for (const std::string_view key : {"labels", "annotations"}) {
    put_changes(metadata, key,
                map_change(part_of(part_of(draft, "metadata"), key), part_of(part_of(group, "metadata"), key), false,
                           same_json));
  }
  const text::Object& want = part_of(draft, "spec");
  const text::Object& have = part_of(group, "spec");
  text::Object spec;
  put_changes(spec, "minResources",
              map_change(part_of(want, "minResources"), part_of(have, "minResources"), true, same_amount));
  put_changes(spec, "networkTopology",
              map_change(part_of(want, "networkTopology"), part_of(have, "networkTopology"), true, same_json));
  for (const std::string_view key : {"minMember", "priorityClassName", "networkTopology"}) {
    if (api::rules::same_member(want, have, key)) continue;
    const text::Value* value = want.if_contains(key);
    if (value == nullptr) {
      spec[key] = nullptr;
    } else if (!value->is_object()) {
      spec[key] = *value;
    }
  }
  const std::string_view queue = api::PodGroupSpecView(want).queue();
  if (!queue.empty() && queue != keys::kDefaultQueue && queue != api::PodGroupSpecView(have).queue())
    spec["queue"] = queue;
  return patch_of(std::move(metadata), std::move(spec));
}

std::optional<text::Object> change_from_owners(const text::Object& inherited, const text::Object& group) {
  const text::Object& present = part_of(part_of(group, "metadata"), "annotations");
  text::Object wanted = annotations_for({}, inherited);
  for (const std::string_view key : kFromPod) {
    if (present.contains(key)) wanted.erase(key);
  }
  text::Object metadata;
  put_changes(metadata, "annotations", map_change(wanted, present, false, same_json));
  text::Object spec;
  const text::Object& have = part_of(group, "spec");
  const std::optional<int64_t> min_member = min_member_in(inherited);
  if (min_member && *min_member != api::PodGroupSpecView(have).min_member().value_or(0)) {
    spec["minMember"] = *min_member;
    const text::Object& resources = part_of(have, "minResources");
    if (const auto next = scaled(resources, *min_member)) {
      put_changes(spec, "minResources", map_change(*next, resources, true, same_amount));
    }
  }
  return patch_of(std::move(metadata), std::move(spec));
}

}  // namespace basalt::volcano
