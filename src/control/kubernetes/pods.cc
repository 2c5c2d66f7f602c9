// Pods that nobody else ends: bound to a node that is gone, deleted before they were bound, or done and too many.
//
// A pod that has finished and that its owner still counts (ObjectCache::is_counted) is never deleted here: its owner
// would make it again.
#include <algorithm>

#include "control/kubernetes/controller.h"
#include "control/kubernetes/writes.h"
#include "kube/api/object_fields.h"

namespace basalt::kubernetes {
namespace {

constexpr std::string_view kTooMany = "/";                  // the item of all terminated pods; no key of an object
constexpr size_t kMaxCollectedAtOnce = 500;                 // what comes back of them brings the next
constexpr Duration kCountedAgain = Duration::seconds(300);  // at a finished pod of a lost node: is it still counted?

size_t excess_of(const World& world) {
  const size_t limit = world.periods.terminated_pods;
  const size_t done = world.cache.terminated().size();
  return limit == 0 || done <= limit ? 0 : done - limit;
}

void wake_pods(const World& world, const Change& change, std::vector<std::string>& items) {
  if (excess_of(world) > 0) items.emplace_back(kTooMany);  // another pod has finished, or an owner has
  if (change.is("", "Node") && change.now == nullptr) {
    for (const std::string& pod : world.cache.pods_on(change.before->name)) items.push_back(pod);
    return;
  }
  if (!change.is("", "Pod") || change.now == nullptr) return;
  const PodFacts& pod = *change.now->pod;
  if (pod.node.empty() ? change.now->leaving() : world.cache.missing_since(pod.node).is_set()) {
    items.push_back(change.now->key());
  }
}

Plan plan_terminated(const World& world, const Kind& kind) {
  Plan plan;
  size_t excess = std::min(excess_of(world), kMaxCollectedAtOnce);
  for (const auto& [kept, created, key] : world.cache.terminated()) {
    if (excess == 0) break;
    --excess;
    const Facts* pod = world.cache.find(kind.id, key);
    if (pod != nullptr && !pod->leaving()) plan.writes.push_back(delete_object(kind, *pod, {.grace = 0}));
  }
  return plan;
}

Plan plan_pods(const World& world, const std::string& item, Instant now) {
  const Kind& kind = world.kinds.builtin("", "Pod");
  if (item == kTooMany) return plan_terminated(world, kind);
  Plan plan;
  const Facts* pod = world.cache.find(kind.id, item);
  if (pod == nullptr) return plan;
  if (pod->pod->node.empty()) {
    // Not bound, so no node will ever report its end; only finalizers may hold it.
    if (pod->leaving() && pod->finalizers.empty()) plan.writes.push_back(delete_object(kind, *pod, {.grace = 0}));
    return plan;
  }
  const Instant since = world.cache.missing_since(pod->pod->node);
  if (!since.is_set() || !world.synced.contains(world.kinds.builtin("", "Node").id)) return plan;
  const Instant end = since + world.periods.missing_node;
  if (now < end) {
    plan.again = end;
    return plan;
  }
  const PodFacts& facts = *pod->pod;
  if (facts.terminal && !facts.given_up && !pod->leaving() && world.cache.is_counted(*pod)) {
    plan.again = now + kCountedAgain;
    return plan;
  }
  if (!facts.terminal) {
    constexpr Disruption kNodeGone{
        .reason = kDeletedWithItsNode, .message = "PodGC: node no longer exists", .phase = "Failed"};
    plan.writes.push_back(mark_disruption(kind, *pod, kNodeGone, now));
  }
  // A pod that is past its grace and held by finalizers is not asked again.
  if (!pod->leaving() || pod->finalizers.empty()) plan.writes.push_back(delete_object(kind, *pod, {.grace = 0}));
  return plan;
}

}  // namespace

Controller pod_controller() { return {.name = "pods", .wake = wake_pods, .plan = plan_pods}; }

}  // namespace basalt::kubernetes
