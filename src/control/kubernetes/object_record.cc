#include "control/kubernetes/object_record.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "control/kubernetes/finished_pods.h"
#include "kube/api/object_fields.h"
#include "kube/api/rules/member_access.h"
#include "kube/api/volcano_keys.h"
#include "kube/text/rfc3339.h"

namespace basalt::kubernetes {
namespace {

using api::string_at;
using api::rules::bool_at;
using api::rules::each_object;
using api::rules::each_string;
using api::rules::int_at;
using api::rules::part_of;

Instant time_in(const text::Object& object, std::string_view key) {
  return text::parse_time(string_at(object, key)).value_or(kNever);
}

bool is_kept_whole(const WatchedKind& kind) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kWhole = {
      {{"", "Namespace"},
       {"", "Node"},
       {"", "ResourceQuota"},
       {"", "Service"},
       {"", "PersistentVolumeClaim"},
       {"policy", "PodDisruptionBudget"},
       {"apiextensions.k8s.io", "CustomResourceDefinition"}}};
  return std::ranges::any_of(
      kWhole, [&](const auto& one) { return one.first == kind.resource.group && one.second == kind.kind; });
}

bool is_component(const WatchedKind& kind, const ObjectRecord& record) {
  return record.namespace_name == kComponentNamespace && kind.resource.group == "apps" &&
         (kind.kind == "Deployment" || kind.kind == "ReplicaSet");
}

void read_metadata(const text::Object& metadata, RecordPools& pools, ObjectRecord& record) {
  std::vector<OwnerRecord> owners;
  record.namespace_name = string_at(metadata, "namespace");
  record.name = string_at(metadata, "name");
  record.uid = string_at(metadata, "uid");
  record.version = string_at(metadata, "resourceVersion");
  record.created = time_in(metadata, "creationTimestamp");
  record.deletion = time_in(metadata, "deletionTimestamp");
  each_object(metadata, "ownerReferences", [&](const text::Object& owner, size_t) {
    owners.push_back({.api_version = std::string(string_at(owner, "apiVersion")),
                      .kind = std::string(string_at(owner, "kind")),
                      .name = std::string(string_at(owner, "name")),
                      .uid = std::string(string_at(owner, "uid")),
                      .controller = bool_at(owner, "controller"),
                      .blocks = bool_at(owner, "blockOwnerDeletion")});
  });
  if (!owners.empty()) record.shared_owners = pools.owners.share(std::move(owners));
  each_string(metadata, "finalizers", [&](std::string_view one, size_t) { record.finalizers.emplace_back(one); });
}

PodRecord pod_facts(const text::Object& pod, Instant now, RecordPools& pools) {
  PodRecord record;
  PodDemands demands;
  const text::Object& spec = part_of(pod, "spec");
  const text::Object& status = part_of(pod, "status");
  record.node = string_at(spec, "nodeName");
  record.labels = pools.labels.share(FlatLabels(part_of(part_of(pod, "metadata"), "labels")));
  each_object(spec, "tolerations", [&](const text::Object& one, size_t) {
    const std::string_view effect = string_at(one, "effect");
    if (!effect.empty() && effect != "NoExecute") return;
    demands.tolerations.push_back({.key = std::string(string_at(one, "key")),
                                   .op = std::string(string_at(one, "operator")),
                                   .value = std::string(string_at(one, "value")),
                                   .effect = std::string(effect),
                                   .seconds = int_at(one, "tolerationSeconds")});
  });
  const std::string_view phase = string_at(status, "phase");
  record.terminal = phase == "Succeeded" || phase == "Failed";
  record.evicted = phase == "Failed" && string_at(status, "reason") == "Evicted";
  each_object(status, "conditions", [&](const text::Object& condition, size_t) {
    const std::string_view type = string_at(condition, "type");
    const bool is_true = string_at(condition, "status") == "True";
    if (type == "Ready") record.ready = is_true;
    if (type == "DisruptionTarget") record.given_up = is_true && string_at(condition, "reason") == kDeletedWithItsNode;
  });
  demands.usage = api::usage_of_pod(pod);
  demands.scopes = api::scopes_of(pod);
  record.demands = pools.demands.share(std::move(demands));
  record.grace_end = api::end_of_grace(pod).value_or(kNever);
  record.over = api::is_over(pod, now);
  const text::Object& metadata = part_of(pod, "metadata");
  const std::string_view group = string_at(part_of(metadata, "annotations"), api::keys::kGroupName);
  if (!group.empty() && !api::rules::has(metadata, "ownerReferences")) {
    record.group = pools.groups.share(std::string(group));
  }
  return record;
}

void read_taints(const text::Object& node, const ObjectRecord* before, Instant now, ObjectRecord& record) {
  each_object(part_of(node, "spec"), "taints", [&](const text::Object& taint, size_t) {
    if (string_at(taint, "effect") != "NoExecute") return;
    const std::string name(string_at(taint, "key"));
    Instant since = time_in(taint, "timeAdded");
    if (!since.is_set()) {
      since = now;
      for (const auto& [key, at] : before == nullptr ? decltype(record.taints_since)() : before->taints_since) {
        if (key == name) since = at;
      }
    }
    record.taints_since.emplace_back(name, since);
  });
}

// When an event last happened: whichever of its many times is the latest.
Instant last_time_of_event(const text::Object& event, Instant created) {
  Instant last = std::max({created, time_in(event, "lastTimestamp"), time_in(event, "eventTime")});
  return std::max(last, time_in(part_of(event, "series"), "lastObservedTime"));
}

std::optional<int64_t> replicas_of(const WatchedKind& kind, const text::Object& object) {
  if (kind.replicas_path.empty()) return std::nullopt;
  const text::Object* at = &object;
  for (size_t i = 0; i + 1 < kind.replicas_path.size(); ++i) at = &part_of(*at, kind.replicas_path[i]);
  return int_at(*at, kind.replicas_path.back()).value_or(0);
}

}  // namespace

bool operator<(const PodDemands& left, const PodDemands& right) {
  if (const auto order = left.tolerations <=> right.tolerations; order != 0) return order < 0;
  if (const auto order = left.scopes <=> right.scopes; order != 0) return order < 0;
  return api::order_as_written(left.usage, right.usage) < 0;
}

const std::vector<OwnerRecord>& ObjectRecord::owners() const {
  static const std::vector<OwnerRecord> kNone;
  return shared_owners == nullptr ? kNone : *shared_owners;
}

bool ObjectRecord::has_finalizer(std::string_view finalizer) const {
  return std::ranges::find(finalizers, finalizer) != finalizers.end();
}

const text::Object& ObjectRecord::object() const {
  check(whole != nullptr && whole->is_object(), "the kind is kept whole");
  return whole->get_object();
}

ObjectRecord record_of(const WatchedKind& kind, const client::ObjectPtr& object, const ObjectRecord* before,
                       Instant now, RecordPools& pools) {
  ObjectRecord record;
  record.kind = kind.id;
  if (object == nullptr || !object->is_object()) return record;
  const text::Object& root = object->get_object();
  read_metadata(part_of(root, "metadata"), pools, record);
  record.replicas = replicas_of(kind, root);
  record.counts_finished = counts_finished_pods(kind, root);
  if (is_kept_whole(kind) || is_component(kind, record)) record.whole = object;
  const bool core = kind.resource.group.empty();
  if (core && kind.kind == "Pod") record.pod = std::make_unique<PodRecord>(pod_facts(root, now, pools));
  if (core && kind.kind == "Node") read_taints(root, before, now, record);
  if (core && kind.kind == "Event") record.stamp = last_time_of_event(root, record.created);
  if (kind.kind == "Lease") record.stamp = time_in(part_of(root, "spec"), "renewTime");
  if (kind.kind == "PodDisruptionBudget") {
    api::Causes ignored;  // an object in the store has a valid selector
    const text::Object* selector = api::object_at(root, {"spec", "selector"});
    record.selector = std::make_shared<const api::LabelQuery>(
        selector == nullptr ? api::LabelQuery::nothing()
                            : api::LabelQuery::from_selector(text::Value(*selector), "spec.selector", ignored));
  }
  record.seen = before != nullptr && before->stamp == record.stamp ? before->seen : now;
  return record;
}

}  // namespace basalt::kubernetes
