// NoExecute taints: a pod that does not bear one of its node's is deleted at once, one that bears it for some seconds
// when they are over. One that has finished stays: it takes nothing of the node, and its owner may still count it.
#include <algorithm>

#include "control/kubernetes/kubernetes_controller.h"
#include "control/kubernetes/kubernetes_writes.h"
#include "kube/api/views/node_view.h"

namespace basalt::kubernetes {
namespace {

constexpr int64_t kMaxTolerationSeconds = 100LL * 365 * 86'400;  // longer is for ever

void wake_evictions(const KubernetesContext& context, const RecordChange& change, std::vector<std::string>& items) {
  if (change.is("", "Node") && change.now != nullptr) {
    const bool same = change.before != nullptr && change.before->taints_since == change.now->taints_since;
    if (same || change.now->taints_since.empty()) return;
    for (const std::string& pod : context.cache.pods_on(change.now->name)) items.push_back(pod);
    return;
  }
  if (!change.is("", "Pod") || change.now == nullptr || change.now->pod->node.empty()) return;
  const ObjectRecord* node = context.find("", "Node", change.now->pod->node);
  if (node != nullptr && !node->taints_since.empty()) items.push_back(change.now->key());
}

bool bears(const NoExecuteToleration& toleration, api::TaintView taint) {
  if (!toleration.key.empty() && toleration.key != taint.key()) return false;
  if (toleration.op == "Exists") return true;
  return !toleration.key.empty() && toleration.value == taint.value();
}

// When the pod has to go because of this taint; kNever: it may stay.
Instant end_under(api::TaintView taint, Instant since, const PodRecord& pod) {
  const std::vector<NoExecuteToleration>& tolerations = pod.demands->tolerations;
  const auto bearer = std::ranges::find_if(
      tolerations, [&](const NoExecuteToleration& toleration) { return bears(toleration, taint); });
  if (bearer == tolerations.end()) return since;
  if (!bearer->seconds || *bearer->seconds > kMaxTolerationSeconds) return kNever;
  return since + Duration::seconds(std::max<int64_t>(*bearer->seconds, 0));
}

ControllerPlan plan_evictions(const KubernetesContext& context, const std::string& item, Instant now) {
  ControllerPlan plan;
  const WatchedKind& kind = context.kinds.builtin("", "Pod");
  const ObjectRecord* pod = context.cache.find(kind.id, item);
  if (pod == nullptr || pod->leaving() || pod->pod->terminal || pod->pod->node.empty()) return plan;
  const ObjectRecord* node = context.find("", "Node", pod->pod->node);
  if (node == nullptr) return plan;
  Instant end = kNever;
  for (const api::TaintView taint : api::NodeView(node->object()).spec().taints()) {
    if (taint.effect() != "NoExecute") continue;
    Instant since = now;
    for (const auto& [key, at] : node->taints_since) {
      if (key == taint.key()) since = at;
    }
    const Instant until = end_under(taint, since, *pod->pod);
    if (until.is_set() && (!end.is_set() || until < end)) end = until;
  }
  if (!end.is_set()) return plan;
  if (now < end) {
    plan.again = end;
    return plan;
  }
  plan.writes.push_back(mark_disruption(
      kind, *pod,
      {.reason = "DeletionByTaintManager", .message = "Taint manager: deleting due to NoExecute taint", .phase = ""},
      now));
  plan.writes.push_back(delete_object(kind, *pod, {.propagation = ""}));
  return plan;
}

}  // namespace

KubernetesController eviction_controller() {
  return {.name = "evictions", .wake = wake_evictions, .plan = plan_evictions};
}

}  // namespace basalt::kubernetes
