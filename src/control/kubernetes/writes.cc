#include "control/kubernetes/writes.h"

#include <algorithm>

#include "kube/api/object_fields.h"
#include "kube/text/time.h"

namespace basalt::kubernetes {
namespace {

using api::string_at;

text::Object owner_value(const OwnerReference& owner) {
  text::Object value{{"apiVersion", owner.api_version}, {"kind", owner.kind}, {"name", owner.name}, {"uid", owner.uid}};
  if (owner.controller) value["controller"] = *owner.controller;
  if (owner.blocks) value["blockOwnerDeletion"] = *owner.blocks;
  return value;
}

loop::Target target_of(const Kind& kind, const Facts& facts) {
  return {
      .resource = kind.resource, .space = facts.space, .name = facts.name, .uid = facts.uid, .version = facts.version};
}

api::Call ours(api::Call call) {
  call.field_manager = kFieldManager;
  return call;
}

}  // namespace

api::Call call_of(api::Verb verb, const Kind& kind, std::string_view space, std::string_view name) {
  return {.verb = verb,
          .resource = kind.resource,
          .namespace_name = std::string(space),
          .name = std::string(name),
          .field_manager = std::string(kFieldManager)};
}

api::Call delete_object(const Kind& kind, const Facts& facts, const Deletion& how) {
  return ours(loop::remove(target_of(kind, facts), how));
}

api::Call delete_all(const Kind& kind, std::string_view space) {
  api::Call call = call_of(api::Verb::DeleteCollection, kind, space, "");
  call.body = text::Object{{"kind", "DeleteOptions"}, {"apiVersion", "v1"}, {"propagationPolicy", "Background"}};
  return call;
}

api::Call patch_object(const Kind& kind, const Facts& facts, text::Object change) {
  return ours(loop::patch(target_of(kind, facts), std::move(change)));
}

api::Call patch_status(const Kind& kind, const Facts& facts, text::Object status) {
  return ours(loop::patch_status(target_of(kind, facts), std::move(status)));
}

api::Call drop_finalizer(const Kind& kind, const Facts& facts, std::string_view finalizer) {
  text::Array kept;
  for (const std::string& one : facts.finalizers) {
    if (one != finalizer) kept.emplace_back(one);
  }
  return patch_object(kind, facts, {{"metadata", text::Object{{"finalizers", std::move(kept)}}}});
}

api::Call drop_owners(const Kind& kind, const Facts& facts, const std::vector<std::string>& uids) {
  std::vector<OwnerReference> kept;
  for (const OwnerReference& owner : facts.owners()) {
    if (std::ranges::find(uids, owner.uid) == uids.end()) kept.push_back(owner);
  }
  return set_owners(kind, facts, kept);
}

api::Call set_owners(const Kind& kind, const Facts& facts, const std::vector<OwnerReference>& owners) {
  text::Array list;
  for (const OwnerReference& owner : owners) list.emplace_back(owner_value(owner));
  text::Value references = nullptr;  // null takes the member away
  if (!list.empty()) references = std::move(list);
  return patch_object(kind, facts, {{"metadata", text::Object{{"ownerReferences", std::move(references)}}}});
}

api::Call mark_disruption(const Kind& kind, const Facts& pod, const Disruption& why, Instant now) {
  const text::Object condition{{"type", "DisruptionTarget"},
                               {"status", "True"},
                               {"lastTransitionTime", text::format_time(now)},
                               {"reason", why.reason},
                               {"message", why.message}};
  text::Object status{{"conditions", text::Array{condition}}};
  if (!why.phase.empty()) status["phase"] = why.phase;
  api::Call call = call_of(api::Verb::Patch, kind, pod.space, pod.name);
  call.subresource = "status";
  call.patch = api::PatchType::Strategic;
  call.body = text::Object{{"metadata", text::Object{{"uid", pod.uid}}}, {"status", std::move(status)}};
  return call;
}

bool set_condition(text::Array& conditions, const Condition& condition, Instant now) {
  const auto at = std::ranges::find_if(conditions, [&](const text::Value& one) {
    return one.is_object() && string_at(one.get_object(), "type") == condition.type;
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
  const bool same_status = string_at(old, "status") == condition.status;
  if (same_status && string_at(old, "reason") == condition.reason && string_at(old, "message") == condition.message) {
    return false;
  }
  for (const auto& member : next) {
    if (member.key() != "lastTransitionTime" || !same_status) old[member.key()] = member.value();
  }
  return true;
}

std::string_view condition_status(const text::Object& object, std::string_view type) {
  const text::Array* conditions = api::array_at(object, {"status", "conditions"});
  if (conditions == nullptr) return "";
  for (const text::Value& one : *conditions) {
    if (one.is_object() && string_at(one.get_object(), "type") == type) return string_at(one.get_object(), "status");
  }
  return "";
}

text::Array conditions_of(const text::Object& object) {
  const text::Array* conditions = api::array_at(object, {"status", "conditions"});
  return conditions == nullptr ? text::Array() : *conditions;
}

}  // namespace basalt::kubernetes
