// Events are deleted some time after they happened last. The queue orders them by that time: nobody scans.
#include <algorithm>

#include "control/kubernetes/kubernetes_controller.h"
#include "control/kubernetes/kubernetes_writes.h"

namespace basalt::kubernetes {
namespace {

void wake_events(const KubernetesContext&, const RecordChange& change, std::vector<std::string>& items) {
  if (change.is("", "Event") && change.now != nullptr) items.push_back(change.now->key());
}

ControllerPlan plan_events(const KubernetesContext& context, const std::string& item, Instant now) {
  ControllerPlan plan;
  const WatchedKind& kind = context.kinds.builtin("", "Event");
  const ObjectRecord* event = context.cache.find(kind.id, item);
  if (event == nullptr || event->leaving()) return plan;
  // An event from the future (a wrong clock somewhere) lives no longer than if it had happened when we saw it.
  const Instant end = std::min(event->stamp, event->seen) + context.periods.event_life;
  if (now < end) {
    plan.again = end;
  } else {
    plan.writes.push_back(delete_object(kind, *event, {.propagation = ""}));
  }
  return plan;
}

}  // namespace

KubernetesController event_controller() { return {.name = "events", .wake = wake_events, .plan = plan_events}; }

}  // namespace basalt::kubernetes
