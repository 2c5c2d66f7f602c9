#include "control/kubernetes/object_record.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "control/kubernetes/finished_pods.h"
#include "kube/api/age_text.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/rules/member_access.h"
#include "kube/api/views/budget_view.h"
#include "kube/api/views/event_view.h"
#include "kube/api/views/lease_view.h"
#include "kube/api/views/node_view.h"
#include "kube/api/volcano_keys.h"

namespace basalt::kubernetes {
namespace {
using api::rules::int_at;
using api::rules::part_of;

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

void read_metadata(api::ObjectMetaView metadata, RecordPools& pools, ObjectRecord& record) {
  std::vector<OwnerRecord> owners;
  record.namespace_name = metadata.namespace_name();
  record.name = metadata.name();
  record.uid = metadata.uid();
  record.version = metadata.resource_version();
  record.created = api::time_of(metadata.creation_timestamp());
  record.deletion = api::time_of(metadata.deletion_timestamp());
  for (const api::OwnerReferenceView owner : metadata.owner_references()) {
    owners.push_back({.api_version = std::string(owner.api_version()),
                      .kind = std::string(owner.kind()),
                      .name = std::string(owner.name()),
                      .uid = std::string(owner.uid()),
                      .controller = owner.controller(),
                      .blocks = owner.block_owner_deletion()});
  }
  if (!owners.empty()) record.shared_owners = pools.owners.share(std::move(owners));
  for (const std::string_view one : metadata.finalizers()) record.finalizers.emplace_back(one);
}

PodDemands pod_demands(api::PodView pod) {
  PodDemands demands;
  for (const api::TolerationView one : pod.spec().tolerations()) {
    if (!one.effect().empty() && one.effect() != "NoExecute") continue;
    demands.tolerations.push_back({.key = std::string(one.key()),
                                   .op = std::string(one.op()),
                                   .value = std::string(one.value()),
                                   .effect = std::string(one.effect()),
                                   .seconds = one.toleration_seconds()});
  }
  demands.usage = api::usage_of_pod(pod.spec());
  demands.scopes = api::scopes_of(pod);
  return demands;
}

PodRecord pod_facts(api::PodView pod, Instant now, RecordPools& pools) {
  PodRecord record;
  record.node = pod.spec().node_name();
  const text::Object* labels = pod.metadata().labels().json();
  record.labels = pools.labels.share(labels == nullptr ? FlatLabels() : FlatLabels(*labels));
  const std::string_view phase = pod.status().phase();
  record.terminal = phase == "Succeeded" || phase == "Failed";
  record.evicted = phase == "Failed" && pod.status().reason() == "Evicted";
  for (const api::PodConditionView condition : pod.status().conditions()) {
    const bool is_true = condition.status() == "True";
    if (condition.type() == "Ready") record.ready = is_true;
    if (condition.type() == "DisruptionTarget") {
      record.given_up = is_true && condition.reason() == kDeletedWithItsNode;
    }
  }
  record.demands = pools.demands.share(pod_demands(pod));
  record.grace_end = api::end_of_grace(pod).value_or(kNever);
  record.over = api::is_over(pod, now);
  const std::string_view group = pod.metadata().annotations()[api::keys::kGroupName];
  if (!group.empty() && !pod.metadata().owner_references()) record.group = pools.groups.share(std::string(group));
  return record;
}

void read_taints(const text::Object& node, const ObjectRecord* before, Instant now, ObjectRecord& record) {
  for (const api::TaintView taint : api::NodeView(node).spec().taints()) {
    if (taint.effect() != "NoExecute") continue;
    const std::string name(taint.key());
    Instant since = api::time_of(taint.time_added());
    if (!since.is_set()) {
      since = now;
      for (const auto& [key, at] : before == nullptr ? decltype(record.taints_since)() : before->taints_since) {
        if (key == name) since = at;
      }
    }
    record.taints_since.emplace_back(name, since);
  }
}

// When an event last happened: whichever of its many times is the latest.
Instant last_time_of_event(api::EventView event, Instant created) {
  return std::max({created, api::time_of(event.last_timestamp()), api::time_of(event.event_time()),
                   api::time_of(event.series().last_observed_time())});
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
  read_metadata(api::ObjectView(root).metadata(), pools, record);
  record.replicas = replicas_of(kind, root);
  record.counts_finished = counts_finished_pods(kind, root);
  if (is_kept_whole(kind) || is_component(kind, record)) record.whole = object;
  const bool core = kind.resource.group.empty();
  if (core && kind.kind == "Pod") record.pod = std::make_unique<PodRecord>(pod_facts(api::PodView(root), now, pools));
  if (core && kind.kind == "Node") read_taints(root, before, now, record);
  if (core && kind.kind == "Event") record.stamp = last_time_of_event(api::EventView(root), record.created);
  if (kind.kind == "Lease") record.stamp = api::time_of(api::LeaseView(root).spec().renew_time());
  if (kind.kind == "PodDisruptionBudget") {
    api::Causes ignored;  // an object in the store has a valid selector
    const text::Object* selector = api::PodDisruptionBudgetView(root).spec().selector().json();
    record.selector = std::make_shared<const api::LabelQuery>(
        selector == nullptr ? api::LabelQuery::nothing()
                            : api::LabelQuery::from_selector(text::Value(*selector), "spec.selector", ignored));
  }
  record.seen = before != nullptr && before->stamp == record.stamp ? before->seen : now;
  return record;
}

}  // namespace basalt::kubernetes
