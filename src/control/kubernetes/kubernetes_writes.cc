#include "control/kubernetes/kubernetes_writes.h"

#include <algorithm>

#include "kube/api/object_fields.h"
#include "kube/api/views/condition_view.h"
#include "kube/text/rfc3339.h"

namespace basalt::kubernetes {
namespace {

text::Object owner_value(const OwnerRecord& owner) {
  text::Object value{{"apiVersion", owner.api_version}, {"kind", owner.kind}, {"name", owner.name}, {"uid", owner.uid}};
  if (owner.controller) value["controller"] = *owner.controller;
  if (owner.blocks) value["blockOwnerDeletion"] = *owner.blocks;
  return value;
}

loop::WriteTarget target_of(const WatchedKind& kind, const ObjectRecord& record) {
  return {.resource = kind.resource,
          .namespace_name = record.namespace_name,
          .name = record.name,
          .uid = record.uid,
          .version = record.version};
}

api::Call ours(api::Call call) {
  call.field_manager = kFieldManager;
  return call;
}

// Of any kind.
api::ListView<api::ConditionView> status_conditions(const text::Object& object) {
  return api::ListView<api::ConditionView>(api::array_at(object, {"status", "conditions"}));
}

}  // namespace

api::Call call_of(api::Verb verb, const WatchedKind& kind, std::string_view ns, std::string_view name) {
  return {.verb = verb,
          .resource = kind.resource,
          .namespace_name = std::string(ns),
          .name = std::string(name),
          .field_manager = std::string(kFieldManager)};
}

api::Call delete_object(const WatchedKind& kind, const ObjectRecord& record, const Deletion& how) {
  return ours(loop::remove(target_of(kind, record), how));
}

api::Call delete_all(const WatchedKind& kind, std::string_view ns) {
  api::Call call = call_of(api::Verb::DeleteCollection, kind, ns, "");
  call.body = text::Object{{"kind", "DeleteOptions"}, {"apiVersion", "v1"}, {"propagationPolicy", "Background"}};
  return call;
}

api::Call patch_object(const WatchedKind& kind, const ObjectRecord& record, text::Object change) {
  return ours(loop::patch(target_of(kind, record), std::move(change)));
}

api::Call patch_status(const WatchedKind& kind, const ObjectRecord& record, text::Object status) {
  return ours(loop::patch_status(target_of(kind, record), std::move(status)));
}

api::Call drop_finalizer(const WatchedKind& kind, const ObjectRecord& record, std::string_view finalizer) {
  text::Array kept;
  for (const std::string& one : record.finalizers) {
    if (one != finalizer) kept.emplace_back(one);
  }
  return patch_object(kind, record, {{"metadata", text::Object{{"finalizers", std::move(kept)}}}});
}

api::Call drop_owners(const WatchedKind& kind, const ObjectRecord& record, const std::vector<std::string>& uids) {
  std::vector<OwnerRecord> kept;
  for (const OwnerRecord& owner : record.owners()) {
    if (std::ranges::find(uids, owner.uid) == uids.end()) kept.push_back(owner);
  }
  return set_owners(kind, record, kept);
}

api::Call set_owners(const WatchedKind& kind, const ObjectRecord& record, const std::vector<OwnerRecord>& owners) {
  text::Array list;
  for (const OwnerRecord& owner : owners) list.emplace_back(owner_value(owner));
  text::Value references = nullptr;  // null takes the member away
  if (!list.empty()) references = std::move(list);
  return patch_object(kind, record, {{"metadata", text::Object{{"ownerReferences", std::move(references)}}}});
}

api::Call mark_disruption(const WatchedKind& kind, const ObjectRecord& pod, const Disruption& why, Instant now) {
  const text::Object condition{{"type", "DisruptionTarget"},
                               {"status", "True"},
                               {"lastTransitionTime", text::format_time(now)},
                               {"reason", why.reason},
                               {"message", why.message}};
  text::Object status{{"conditions", text::Array{condition}}};
  if (!why.phase.empty()) status["phase"] = why.phase;
  api::Call call = call_of(api::Verb::Patch, kind, pod.namespace_name, pod.name);
  call.subresource = "status";
  call.patch = api::PatchType::Strategic;
  call.body = text::Object{{"metadata", text::Object{{"uid", pod.uid}}}, {"status", std::move(status)}};
  return call;
}

bool set_condition(text::Array& conditions, const ConditionUpdate& condition, Instant now) {
  const auto at = std::ranges::find_if(conditions, [&](const text::Value& one) {
    return one.is_object() && api::ConditionView(one).type() == condition.type;
  });
  text::Object next{{"type", condition.type},
                    {"status", condition.status},
                    {"lastTransitionTime", text::format_time(now)},
                    {"reason", condition.reason},
                    {"message", condition.message}};
  if (at == conditions.end()) {
    conditions.emplace_back(std::move(next));
    return true;
  }
  text::Object& old = at->get_object();
  const api::ConditionView known(old);
  const bool same_status = known.status() == condition.status;
  if (same_status && known.reason() == condition.reason && known.message() == condition.message) return false;
  for (const auto& member : next) {
    if (member.key() != "lastTransitionTime" || !same_status) old[member.key()] = member.value();
  }
  return true;
}

std::string_view condition_status(const text::Object& object, std::string_view type) {
  for (const api::ConditionView one : status_conditions(object)) {
    if (one.type() == type) return one.status();
  }
  return "";
}

text::Array conditions_of(const text::Object& object) {
  const text::Array* conditions = status_conditions(object).json();
  return conditions == nullptr ? text::Array() : *conditions;
}

}  // namespace basalt::kubernetes
