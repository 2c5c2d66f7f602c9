// Pods that nobody else ends: bound to a node that is gone, deleted before they were bound, or done and too many.
#include "api/object_fields.h"
#include "cluster/controller.h"
#include "cluster/writes.h"

namespace basalt::cluster {
namespace {

constexpr std::string_view kTooMany = "/";  // the item of all terminated pods; no key of an object

void wake(const World& world, const Change& change, std::vector<std::string>& items) {
  if (change.is("", "Node") && change.now == nullptr) {
    for (const std::string& pod : world.cache.pods_on(change.before->name)) items.push_back(pod);
    return;
  }
  if (!change.is("", "Pod") || change.now == nullptr) return;
  const PodFacts& pod = *change.now->pod;
  if (pod.terminal && world.cache.terminated().size() > world.periods.terminated_pods) items.emplace_back(kTooMany);
  if (pod.node.empty() ? change.now->leaving() : world.cache.missing_since(pod.node).is_set()) {
    items.push_back(change.now->key());
  }
}

api::Call fail(const Kind& kind, const Facts& pod) {
  api::Call call = patch_status(kind, pod, {{"phase", "Failed"}});
  return call;
}

Plan plan_terminated(const World& world, const Kind& kind) {
  Plan plan;
  const ObjectCache::Terminated& done = world.cache.terminated();
  size_t excess = done.size() > world.periods.terminated_pods ? done.size() - world.periods.terminated_pods : 0;
  for (const auto& [kept, created, key] : done) {
    if (excess == 0) break;
    --excess;
    const Facts* pod = world.cache.find(kind.id, key);
    if (pod != nullptr && !pod->leaving()) plan.writes.push_back(delete_object(kind, *pod, {.grace = 0}));
  }
  return plan;
}

Plan plan(const World& world, const std::string& item, Instant now) {
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
  if (!pod->pod->terminal) plan.writes.push_back(fail(kind, *pod));
  // A pod that is past its grace and held by finalizers is not asked again.
  if (!pod->leaving() || pod->finalizers.empty()) plan.writes.push_back(delete_object(kind, *pod, {.grace = 0}));
  return plan;
}

}  // namespace

Controller pod_controller() { return {.name = "pods", .wake = wake, .plan = plan}; }

}  // namespace basalt::cluster
