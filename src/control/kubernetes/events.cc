// Events are deleted some time after they happened last. The queue orders them by that time: nobody scans.
#include <algorithm>

#include "control/kubernetes/controller.h"
#include "control/kubernetes/writes.h"

namespace basalt::kubernetes {
namespace {

void wake_events(const World&, const Change& change, std::vector<std::string>& items) {
  if (change.is("", "Event") && change.now != nullptr) items.push_back(change.now->key());
}

Plan plan_events(const World& world, const std::string& item, Instant now) {
  Plan plan;
  const Kind& kind = world.kinds.builtin("", "Event");
  const Facts* event = world.cache.find(kind.id, item);
  if (event == nullptr || event->leaving()) return plan;
  // An event from the future (a wrong clock somewhere) lives no longer than if it had happened when we saw it.
  const Instant end = std::min(event->stamp, event->seen) + world.periods.event_life;
  if (now < end) {
    plan.again = end;
  } else {
    plan.writes.push_back(delete_object(kind, *event, {.propagation = ""}));
  }
  return plan;
}

}  // namespace

Controller event_controller() { return {.name = "events", .wake = wake_events, .plan = plan_events}; }

}  // namespace basalt::kubernetes
