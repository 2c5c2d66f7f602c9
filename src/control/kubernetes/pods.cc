// Pods that nobody else ends: bound to a node that is gone, deleted before they were bound, or done and too many.
//
// A pod that has finished and that its owner still counts (ObjectCache::is_counted) is never deleted here: its owner
// would make it again.
#include <algorithm>

#include "control/kubernetes/kubernetes_controller.h"
#include "control/kubernetes/kubernetes_writes.h"
#include "kube/api/object_fields.h"

namespace basalt::kubernetes {
namespace {

constexpr std::string_view kTooMany = "/";                  // the item of all terminated pods; no key of an object
constexpr size_t kMaxCollectedAtOnce = 500;                 // what comes back of them brings the next
constexpr Duration kCountedAgain = Duration::seconds(300);  // at a finished pod of a lost node: is it still counted?

size_t excess_of(const KubernetesContext& context) {
  const size_t limit = context.periods.terminated_pods;
  const size_t done = context.cache.terminated().size();
  return limit == 0 || done <= limit ? 0 : done - limit;
}

void wake_pods(const KubernetesContext& context, const RecordChange& change, std::vector<std::string>& items) {
  if (excess_of(context) > 0) items.emplace_back(kTooMany);  // another pod has finished, or an owner has
  if (change.is("", "Node") && change.now == nullptr) {
    for (const std::string& pod : context.cache.pods_on(change.before->name)) items.push_back(pod);
    return;
  }
  if (!change.is("", "Pod") || change.now == nullptr) return;
  const PodRecord& pod = *change.now->pod;
  if (pod.node.empty() ? change.now->leaving() : context.cache.missing_since(pod.node).is_set()) {
    items.push_back(change.now->key());
  }
}

ControllerPlan plan_terminated(const KubernetesContext& context, const WatchedKind& kind) {
  ControllerPlan plan;
  size_t excess = std::min(excess_of(context), kMaxCollectedAtOnce);
  for (const auto& [kept, created, key] : context.cache.terminated()) {
    if (excess == 0) break;
    --excess;
    const ObjectRecord* pod = context.cache.find(kind.id, key);
    if (pod != nullptr && !pod->leaving()) plan.writes.push_back(delete_object(kind, *pod, {.grace = 0}));
  }
  return plan;
}

ControllerPlan plan_pods(const KubernetesContext& context, const std::string& item, Instant now) {
  const WatchedKind& kind = context.kinds.builtin("", "Pod");
  if (item == kTooMany) return plan_terminated(context, kind);
  ControllerPlan plan;
  const ObjectRecord* pod = context.cache.find(kind.id, item);
  if (pod == nullptr) return plan;
  if (pod->pod->node.empty()) {
    // Not bound, so no node will ever report its end; only finalizers may hold it.
    if (pod->leaving() && pod->finalizers.empty()) plan.writes.push_back(delete_object(kind, *pod, {.grace = 0}));
    return plan;
  }
  const Instant since = context.cache.missing_since(pod->pod->node);
  if (!since.is_set() || !context.synced.contains(context.kinds.builtin("", "Node").id)) return plan;
  const Instant end = since + context.periods.missing_node;
  if (now < end) {
    plan.again = end;
    return plan;
  }
  const PodRecord& record = *pod->pod;
  if (record.terminal && !record.given_up && !pod->leaving() && context.cache.is_counted(*pod)) {
    plan.again = now + kCountedAgain;
    return plan;
  }
  if (!record.terminal) {
    constexpr Disruption kNodeGone{
        .reason = kDeletedWithItsNode, .message = "PodGC: node no longer exists", .phase = "Failed"};
    plan.writes.push_back(mark_disruption(kind, *pod, kNodeGone, now));
  }
  // A pod that is past its grace and held by finalizers is not asked again.
  if (!pod->leaving() || pod->finalizers.empty()) plan.writes.push_back(delete_object(kind, *pod, {.grace = 0}));
  return plan;
}

}  // namespace

KubernetesController pod_controller() { return {.name = "pods", .wake = wake_pods, .plan = plan_pods}; }

}  // namespace basalt::kubernetes
