// CustomResourceDefinitions: one that is being deleted takes its objects along, then goes.
#include "control/kubernetes/controller.h"
#include "control/kubernetes/writes.h"
#include "kube/api/object_fields.h"

namespace basalt::kubernetes {
namespace {

using api::string_at;

constexpr std::string_view kGroup = "apiextensions.k8s.io";
constexpr std::string_view kKind = "CustomResourceDefinition";
constexpr std::string_view kCleanup = "customresourcecleanup.apiextensions.k8s.io";

void wake_definitions(const World& world, const Change& change, std::vector<std::string>& items) {
  if (change.is(kGroup, kKind)) {
    if (change.now != nullptr && change.now->leaving()) items.push_back(change.now->name);
    return;
  }
  // A definition is called as its objects are stored.
  const Facts* definition = world.find(kGroup, kKind, change.kind.storage_name);
  if (definition != nullptr && definition->leaving()) items.push_back(definition->name);
}

bool delete_instances(const World& world, const Kind& kind, Plan& plan) {
  std::set<std::string> spaces;  // with something that still lives
  bool any = false;
  world.cache.each(kind.id, [&](const Facts& facts) {
    any = true;
    if (!facts.leaving() && kind.namespaced) spaces.insert(facts.space);
    if (!facts.leaving() && !kind.namespaced) plan.writes.push_back(delete_object(kind, facts));
  });
  for (const std::string& space : spaces) plan.writes.push_back(delete_all(kind, space));
  return any;
}

Plan plan_definitions(const World& world, const std::string& item, Instant now) {
  Plan plan;
  const Kind& definitions = world.kinds.builtin(kGroup, kKind);
  const Facts* definition = world.cache.find(definitions.id, item);
  if (definition == nullptr || !definition->leaving() || !definition->has_finalizer(kCleanup)) return plan;
  text::Array conditions = conditions_of(definition->object());
  const Condition started{"Terminating", "True", "InstanceDeletionInProgress",
                          "CustomResource deletion is in progress"};
  if (condition_status(definition->object(), "Terminating").empty()) {
    set_condition(conditions, started, now);
    plan.writes.push_back(patch_status(definitions, *definition, {{"conditions", std::move(conditions)}}));
    return plan;
  }
  const Kind* kind = world.kinds.find(string_at(definition->object(), {"spec", "group"}),
                                      string_at(definition->object(), {"spec", "names", "kind"}));
  if (kind != nullptr && kind->storage_name == item) {
    if (!world.synced.contains(kind->id)) {
      plan.again = now + Duration::seconds(1);
      return plan;
    }
    if (delete_instances(world, *kind, plan)) return plan;
  }
  plan.writes.push_back(drop_finalizer(definitions, *definition, kCleanup));
  return plan;
}

}  // namespace

Controller definition_controller() {
  return {.name = "definitions", .wake = wake_definitions, .plan = plan_definitions};
}

}  // namespace basalt::kubernetes
