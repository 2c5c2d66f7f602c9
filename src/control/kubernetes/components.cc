// Deployments of parts that this process is: they are ready as soon as they are asked for, so that `helm --wait` and
// `kubectl rollout status` end. No pods are made for them.
//
// A Deployment is one of these when it is in volcano-system and its pods would have the label "app" of a part
// (World::components). Its ReplicaSet, in which helm looks for the ready replicas, has its name and the annotation
// kOfGeneration: one of another generation is made anew, for comparing templates could disagree for ever.
#include <algorithm>

#include "control/kubernetes/controller.h"
#include "control/kubernetes/writes.h"
#include "kube/api/object_fields.h"
#include "kube/api/rules/fields.h"

namespace basalt::kubernetes {
namespace {

using api::rules::part_of;

constexpr std::string_view kOfGeneration = "deployment.kubernetes.io/revision";

bool is_part(const World& world, const Facts& deployment) {
  const std::string_view app = api::string_at(deployment.object(), {"spec", "template", "metadata", "labels", "app"});
  return std::ranges::find(world.components, app) != world.components.end();
}

void wake_components(const World& world, const Change& change, std::vector<std::string>& items) {
  if (world.components.empty() || change.either().space != kComponentSpace) return;
  // A ReplicaSet has the name of its Deployment.
  if (change.is("apps", "Deployment") || change.is("apps", "ReplicaSet")) items.push_back(change.either().key());
}

std::string generation_of(const Facts& facts) {
  return std::to_string(api::int_at(facts.object(), {"metadata", "generation"}));
}

bool belongs_to(const Facts& set, const Facts& deployment) {
  const auto& owners = set.owners();
  return std::ranges::any_of(owners, [&](const OwnerReference& owner) { return owner.uid == deployment.uid; }) &&
         api::string_at(set.object(), {"metadata", "annotations", kOfGeneration}) == generation_of(deployment);
}

text::Object replica_set_of(const Facts& deployment) {
  const text::Object& spec = part_of(deployment.object(), "spec");
  const text::Object owner{{"apiVersion", "apps/v1"}, {"kind", "Deployment"}, {"name", deployment.name},
                           {"uid", deployment.uid},   {"controller", true},   {"blockOwnerDeletion", true}};
  text::Object set_spec;
  for (const std::string_view key : {"replicas", "selector", "template"}) api::copy_member(set_spec, spec, key);
  return {{"apiVersion", "apps/v1"},
          {"kind", "ReplicaSet"},
          {"metadata", text::Object{{"name", deployment.name},
                                    {"namespace", deployment.space},
                                    {"labels", part_of(part_of(part_of(spec, "template"), "metadata"), "labels")},
                                    {"annotations", text::Object{{kOfGeneration, generation_of(deployment)}}},
                                    {"ownerReferences", text::Array{owner}}}},
          {"spec", std::move(set_spec)}};
}

text::Object ready_status(const Facts& facts) {
  const int64_t replicas = facts.replicas.value_or(1);
  return {{"observedGeneration", api::int_at(facts.object(), {"metadata", "generation"})},
          {"replicas", replicas},
          {"readyReplicas", replicas},
          {"availableReplicas", replicas}};
}

// A patch, unless it says so already.
void say(const Kind& kind, const Facts& facts, text::Object status, Plan& plan) {
  const text::Object& present = part_of(facts.object(), "status");
  const bool said = std::ranges::all_of(status, [&](const auto& member) {
    return api::rules::same_value(&member.value(), api::rules::member_of(present, member.key()));
  });
  if (!said) plan.writes.push_back(patch_status(kind, facts, std::move(status)));
}

Plan plan_components(const World& world, const std::string& item, Instant now) {
  Plan plan;
  const Kind& deployments = world.kinds.builtin("apps", "Deployment");
  const Kind& sets = world.kinds.builtin("apps", "ReplicaSet");
  const Facts* deployment = world.cache.find(deployments.id, item);
  if (deployment == nullptr || deployment->leaving() || !world.synced.contains(sets.id)) return plan;
  if (!is_part(world, *deployment)) return plan;
  const Facts* set = world.cache.find(sets.id, item);
  if (set == nullptr) {
    api::Call call = call_of(api::Verb::Create, sets, deployment->space, "");
    call.body = replica_set_of(*deployment);
    plan.writes.push_back(std::move(call));
  } else if (set->leaving()) {
    return plan;
  } else if (!belongs_to(*set, *deployment)) {
    plan.writes.push_back(delete_object(sets, *set));
  } else {
    text::Object status = ready_status(*set);
    status["fullyLabeledReplicas"] = set->replicas.value_or(1);
    say(sets, *set, std::move(status), plan);
  }
  text::Object status = ready_status(*deployment);
  status["updatedReplicas"] = deployment->replicas.value_or(1);
  text::Array conditions = conditions_of(deployment->object());
  set_condition(conditions, {"Available", "True", "MinimumReplicasAvailable", "a part of the process basalt up"}, now);
  set_condition(conditions, {"Progressing", "True", "NewReplicaSetAvailable", "a part of the process basalt up"}, now);
  status["conditions"] = std::move(conditions);
  say(deployments, *deployment, std::move(status), plan);
  return plan;
}

}  // namespace

Controller component_controller() { return {.name = "components", .wake = wake_components, .plan = plan_components}; }

}  // namespace basalt::kubernetes
