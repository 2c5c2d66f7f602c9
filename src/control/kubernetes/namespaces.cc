// Namespaces: one that is being deleted is emptied, then let go.
//
// As in Kubernetes pods go first, everything else when they are gone; conditions in the status say what remains.
#include <fmt/format.h>

#include "control/kubernetes/kubernetes_controller.h"
#include "control/kubernetes/kubernetes_writes.h"
#include "kube/api/object_fields.h"
#include "kube/api/views/namespace_view.h"

namespace basalt::kubernetes {
namespace {

constexpr std::string_view kFinalizer = "kubernetes";

void wake_namespaces(const KubernetesContext& context, const RecordChange& change, std::vector<std::string>& items) {
  const ObjectRecord& one = change.either();
  if (change.is("", "Namespace")) {
    if (change.now != nullptr && one.leaving()) items.push_back(one.name);
    return;
  }
  if (one.namespace_name.empty()) return;
  const ObjectRecord* ns_record = context.find("", "Namespace", one.namespace_name);
  if (ns_record != nullptr && ns_record->leaving()) items.push_back(one.namespace_name);
}

std::vector<ConditionUpdate> what_remains(const KubernetesContext& context, const ObjectCache::Contents* contents) {
  ConditionUpdate content{"NamespaceContentRemaining", "False", "ContentRemoved", "All content successfully removed"};
  ConditionUpdate finalizers{"NamespaceFinalizersRemaining", "False", "ContentHasNoFinalizers",
                             "All content-preserving finalizers finished"};
  if (contents != nullptr) {
    std::set<std::string> parts;  // by name, so that the text is stable
    for (const auto& [id, count] : contents->objects) {
      const WatchedKind& kind = context.kinds.at(id);
      parts.insert(fmt::format("{}.{} has {} resource instances", kind.resource.plural, kind.resource.group, count));
    }
    content = {"NamespaceContentRemaining", "True", "SomeResourcesRemain",
               fmt::format("Some resources are remaining: {}", fmt::join(parts, ", "))};
    parts.clear();
    for (const auto& [finalizer, count] : contents->finalizers) {
      parts.insert(fmt::format("{} in {} resource instances", finalizer, count));
    }
    if (!parts.empty()) {
      finalizers = {"NamespaceFinalizersRemaining", "True", "SomeFinalizersRemain",
                    fmt::format("Some content in the namespace has finalizers remaining: {}", fmt::join(parts, ", "))};
    }
  }
  return {
      {"NamespaceDeletionDiscoveryFailure", "False", "ResourcesDiscovered", "All resources successfully discovered"},
      {"NamespaceDeletionGroupVersionParsingFailure", "False", "ParsedGroupVersions",
       "All legacy kube types successfully parsed"},
      {"NamespaceDeletionContentFailure", "False", "ContentDeleted",
       "All content successfully deleted, may be waiting on finalization"},
      content,
      finalizers};
}

api::Call finalize(const WatchedKind& kind, const ObjectRecord& ns_record) {
  text::Object body = ns_record.object();
  text::Array kept;
  const text::Array* finalizers = api::NamespaceView(ns_record.object()).spec().finalizers().json();
  if (finalizers != nullptr) {
    for (const text::Value& one : *finalizers) {
      if (one != text::Value(kFinalizer)) kept.push_back(one);
    }
  }
  api::object_in(body, "spec")["finalizers"] = std::move(kept);
  api::Call call = call_of(api::Verb::Update, kind, "", ns_record.name);
  call.subresource = "finalize";
  call.body = std::move(body);
  return call;
}

bool is_finalized(const ObjectRecord& ns_record) {
  const text::Array* finalizers = api::NamespaceView(ns_record.object()).spec().finalizers().json();
  return finalizers == nullptr || std::ranges::find(*finalizers, text::Value(kFinalizer)) == finalizers->end();
}

bool all_synced(const KubernetesContext& context) {
  for (const WatchedKind& kind : context.kinds.all()) {
    if (kind.known && kind.namespaced && !context.synced.contains(kind.id)) return false;
  }
  return true;
}

void delete_content(const KubernetesContext& context, const ObjectRecord& ns_record,
                    const ObjectCache::Contents& contents, ControllerPlan& plan) {
  const KindId pods = context.kinds.builtin("", "Pod").id;
  const bool pods_remain = contents.objects.contains(pods);
  for (const auto& [id, count] : contents.living) {
    const WatchedKind& kind = context.kinds.at(id);
    if (!kind.known || (pods_remain && id != pods)) continue;
    plan.writes.push_back(delete_all(kind, ns_record.name));
  }
}

ControllerPlan plan_namespaces(const KubernetesContext& context, const std::string& item, Instant now) {
  ControllerPlan plan;
  const WatchedKind& kind = context.kinds.builtin("", "Namespace");
  const ObjectRecord* ns_record = context.cache.find(kind.id, item);
  if (ns_record == nullptr || !ns_record->leaving() || is_finalized(*ns_record)) return plan;
  const ObjectCache::Contents* contents = context.cache.contents(item);
  if (contents == nullptr && all_synced(context)) {
    plan.writes.push_back(finalize(kind, *ns_record));
    return plan;
  }
  if (contents == nullptr) {
    plan.again = now + Duration::seconds(1);
    return plan;
  }
  delete_content(context, *ns_record, *contents, plan);
  text::Array conditions = conditions_of(ns_record->object());
  bool changed = false;
  for (const ConditionUpdate& condition : what_remains(context, contents)) {
    changed = set_condition(conditions, condition, now) || changed;
  }
  // What is deleted now is gone in a moment; what stays after that is worth telling.
  if (changed && plan.writes.empty()) {
    plan.writes.push_back(patch_status(kind, *ns_record, {{"conditions", std::move(conditions)}}));
  }
  return plan;
}

}  // namespace

KubernetesController namespace_controller() {
  return {.name = "namespaces", .wake = wake_namespaces, .plan = plan_namespaces};
}

}  // namespace basalt::kubernetes
