// Deployments of parts that this process is: they are ready as soon as they are asked for, so that `helm --wait` and
// `kubectl rollout status` end. No pods are made for them.
//
// A Deployment is one of these when it is in volcano-system and its pods would have the label "app" of a part
// (KubernetesContext::components). Its ReplicaSet, in which helm looks for the ready replicas, has its name and the
// annotation kOfGeneration: one of another generation is made anew, for comparing templates could disagree for ever.
#include <algorithm>

#include "control/kubernetes/kubernetes_controller.h"
#include "control/kubernetes/kubernetes_writes.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/rules/member_access.h"
#include "kube/api/views/workload_view.h"

namespace basalt::kubernetes {
namespace {

using api::rules::part_of;

constexpr std::string_view kOfGeneration = "deployment.kubernetes.io/revision";

bool is_part(const KubernetesContext& context, const ObjectRecord& deployment) {
  const std::string_view app = api::DeploymentView(deployment.object()).spec().template_().metadata().labels()["app"];
  return std::ranges::find(context.components, app) != context.components.end();
}

void wake_components(const KubernetesContext& context, const RecordChange& change, std::vector<std::string>& items) {
  if (context.components.empty() || change.either().namespace_name != kComponentNamespace) return;
  // A ReplicaSet has the name of its Deployment.
  if (change.is("apps", "Deployment") || change.is("apps", "ReplicaSet")) items.push_back(change.either().key());
}

std::string generation_of(const ObjectRecord& record) {
  return std::to_string(api::ObjectView(record.object()).metadata().generation());
}

bool belongs_to(const ObjectRecord& set, const ObjectRecord& deployment) {
  const auto& owners = set.owners();
  return std::ranges::any_of(owners, [&](const OwnerRecord& owner) { return owner.uid == deployment.uid; }) &&
         api::ObjectView(set.object()).metadata().annotations()[kOfGeneration] == generation_of(deployment);
}

text::Object replica_set_of(const ObjectRecord& deployment) {
  const text::Object& spec = part_of(deployment.object(), "spec");
  const text::Object owner{{"apiVersion", "apps/v1"}, {"kind", "Deployment"}, {"name", deployment.name},
                           {"uid", deployment.uid},   {"controller", true},   {"blockOwnerDeletion", true}};
  text::Object set_spec;
  for (const std::string_view key : {"replicas", "selector", "template"}) api::copy_member(set_spec, spec, key);
  return {{"apiVersion", "apps/v1"},
          {"kind", "ReplicaSet"},
          {"metadata", text::Object{{"name", deployment.name},
                                    {"namespace", deployment.namespace_name},
                                    {"labels", part_of(part_of(part_of(spec, "template"), "metadata"), "labels")},
                                    {"annotations", text::Object{{kOfGeneration, generation_of(deployment)}}},
                                    {"ownerReferences", text::Array{owner}}}},
          {"spec", std::move(set_spec)}};
}

text::Object ready_status(const ObjectRecord& record) {
  const int64_t replicas = record.replicas.value_or(1);
  return {{"observedGeneration", api::ObjectView(record.object()).metadata().generation()},
          {"replicas", replicas},
          {"readyReplicas", replicas},
          {"availableReplicas", replicas}};
}

// A patch, unless it says so already.
void say(const WatchedKind& kind, const ObjectRecord& record, text::Object status, ControllerPlan& plan) {
  const text::Object& present = part_of(record.object(), "status");
  const bool said = std::ranges::all_of(status, [&](const auto& member) {
    return api::rules::same_value(&member.value(), api::rules::member_of(present, member.key()));
  });
  if (!said) plan.writes.push_back(patch_status(kind, record, std::move(status)));
}

ControllerPlan plan_components(const KubernetesContext& context, const std::string& item, Instant now) {
  ControllerPlan plan;
  const WatchedKind& deployments = context.kinds.builtin("apps", "Deployment");
  const WatchedKind& sets = context.kinds.builtin("apps", "ReplicaSet");
  const ObjectRecord* deployment = context.cache.find(deployments.id, item);
  if (deployment == nullptr || deployment->leaving() || !context.synced.contains(sets.id)) return plan;
  if (!is_part(context, *deployment)) return plan;
  const ObjectRecord* set = context.cache.find(sets.id, item);
  if (set == nullptr) {
    api::Call call = call_of(api::Verb::Create, sets, deployment->namespace_name, "");
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

KubernetesController component_controller() {
  return {.name = "components", .wake = wake_components, .plan = plan_components};
}

}  // namespace basalt::kubernetes
