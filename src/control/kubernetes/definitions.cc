// CustomResourceDefinitions: one that is being deleted takes its objects along, then goes.
#include "control/kubernetes/kubernetes_controller.h"
#include "control/kubernetes/kubernetes_writes.h"
#include "kube/api/views/definition_view.h"

namespace basalt::kubernetes {
namespace {

constexpr std::string_view kGroup = "apiextensions.k8s.io";
constexpr std::string_view kKind = "CustomResourceDefinition";
constexpr std::string_view kCleanup = "customresourcecleanup.apiextensions.k8s.io";

void wake_definitions(const KubernetesContext& context, const RecordChange& change, std::vector<std::string>& items) {
  if (change.is(kGroup, kKind)) {
    if (change.now != nullptr && change.now->leaving()) items.push_back(change.now->name);
    return;
  }
  // A definition is called as its objects are stored.
  const ObjectRecord* definition = context.find(kGroup, kKind, change.kind.storage_name);
  if (definition != nullptr && definition->leaving()) items.push_back(definition->name);
}

bool delete_instances(const KubernetesContext& context, const WatchedKind& kind, ControllerPlan& plan) {
  std::set<std::string> namespaces;  // with something that still lives
  bool any = false;
  context.cache.each(kind.id, [&](const ObjectRecord& record) {
    any = true;
    if (!record.leaving() && kind.namespaced) namespaces.insert(record.namespace_name);
    if (!record.leaving() && !kind.namespaced) plan.writes.push_back(delete_object(kind, record));
  });
  for (const std::string& ns : namespaces) plan.writes.push_back(delete_all(kind, ns));
  return any;
}

ControllerPlan plan_definitions(const KubernetesContext& context, const std::string& item, Instant now) {
  ControllerPlan plan;
  const WatchedKind& definitions = context.kinds.builtin(kGroup, kKind);
  const ObjectRecord* definition = context.cache.find(definitions.id, item);
  if (definition == nullptr || !definition->leaving() || !definition->has_finalizer(kCleanup)) return plan;
  text::Array conditions = conditions_of(definition->object());
  const ConditionUpdate started{"Terminating", "True", "InstanceDeletionInProgress",
                                "CustomResource deletion is in progress"};
  if (condition_status(definition->object(), "Terminating").empty()) {
    set_condition(conditions, started, now);
    plan.writes.push_back(patch_status(definitions, *definition, {{"conditions", std::move(conditions)}}));
    return plan;
  }
  const api::CustomResourceDefinitionSpecView spec = api::CustomResourceDefinitionView(definition->object()).spec();
  const WatchedKind* kind = context.kinds.find(spec.group(), spec.names().kind());
  if (kind != nullptr && kind->storage_name == item) {
    if (!context.synced.contains(kind->id)) {
      plan.again = now + Duration::seconds(1);
      return plan;
    }
    if (delete_instances(context, *kind, plan)) return plan;
  }
  plan.writes.push_back(drop_finalizer(definitions, *definition, kCleanup));
  return plan;
}

}  // namespace

KubernetesController definition_controller() {
  return {.name = "definitions", .wake = wake_definitions, .plan = plan_definitions};
}

}  // namespace basalt::kubernetes
