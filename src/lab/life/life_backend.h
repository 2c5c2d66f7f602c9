// What a LifeCluster stands on: an API server, and time.
//
// In memory (in_memory_backend.h) everything is deterministic and answers at once. On a real API server
// (kubernetes_backend.h) answers and events take their time: the cluster is at rest when nothing has happened for a
// while.
#pragma once

#include <cstdint>

#include "base/instant.h"
#include "kube/client/object_client.h"

namespace basalt::lab {

class LifeBackend {
 public:
  virtual ~LifeBackend() = default;

  // Three who talk to the server: whoever writes the scenario, and the two kinds of controllers.
  [[nodiscard]] virtual client::ObjectClient& user() = 0;
  [[nodiscard]] virtual client::ObjectClient& upkeep() = 0;
  [[nodiscard]] virtual client::ObjectClient& controllers() = 0;

  [[nodiscard]] virtual Instant now() const = 0;
  virtual void advance_to(Instant later) = 0;  // never back

  // Another number whenever something may have changed.
  [[nodiscard]] virtual uint64_t revision() = 0;
  // Whether what is sent is answered, and what is changed is known, before the call returns.
  [[nodiscard]] virtual bool answers_at_once() const = 0;
  // Lets a moment pass for answers and news that are under way. Nothing to do where they come at once.
  virtual void wait_briefly() = 0;
};

}  // namespace basalt::lab
