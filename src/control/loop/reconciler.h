// What a loop works for: it caches what the loop saw, says which items a change concerns (ReconcileLoop::wake), and
// plans.
//
// All functions are called by the loop's thread, one at a time.
#pragma once

#include <string>
#include <vector>

#include "control/loop/kind_id.h"
#include "control/loop/work_queue.h"
#include "control/loop/write_plan.h"
#include "kube/client/object_client.h"

namespace basalt::loop {

enum class NextStep : uint8_t { Done, PlanAgain, Retry };  // what comes after an answer; Retry: later and later

struct CallResult {
  client::ReplyOrError outcome;  // of a call
  bool good = false;             // of a probe
};

class Reconciler {
 public:
  virtual ~Reconciler() = default;

  // An object is there, with this state; it may be known already, or even in a newer state. Own writes come back here
  // as well, so that the next plan sees them however late the watch is.
  virtual void learn(KindId kind, const client::ObjectPtr& object, Instant now) = 0;
  // It is gone; it may never have been known.
  virtual void forget(KindId kind, const std::string& key, Instant now) = 0;
  // "namespace/name" or "name" of all that is known, in order.
  [[nodiscard]] virtual std::vector<std::string> keys(KindId kind) const = 0;

  [[nodiscard]] virtual WritePlan plan(const Item& item, Instant now) = 0;
  [[nodiscard]] virtual NextStep answered(const Item& /*item*/, const Ask& /*ask*/, const CallResult& /*answer*/,
                                          Instant /*now*/) {
    return NextStep::PlanAgain;
  }
  // A write was refused for another reason than that it is done already; the item will be planned again. May add notes.
  virtual void refused(const Item& /*item*/, const api::Call& /*call*/, const api::ApiError& /*error*/,
                       std::vector<EventNote>& /*notes*/) {}
  // So much was due that items were dropped: wake all that might be concerned.
  virtual void requeue_all(Instant now) = 0;
};

}  // namespace basalt::loop
