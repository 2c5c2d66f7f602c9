// Volcano's controllers, running: jobs, queues, pod groups, clean-up, cron jobs, job flows, hyper nodes.
//
// It owns a loop::ReconcileLoop and its Reconciler: the ControllerCache and the controllers (volcano_controller.h),
// which are pure plans. It keeps nothing that the API server does not have: killed at any point, the next one goes on.
//
// Threads: as loop::ReconcileLoop. Either the owner calls step() (simulation, tests), or start() lets a thread do it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "control/loop/reconcile_loop.h"
#include "control/volcano/volcano_controller.h"

namespace basalt::volcano {

class VolcanoControllerManager {
 public:
  // An error is about options.controllers. Requires: `client` outlives it.
  static Result<std::unique_ptr<VolcanoControllerManager>> make(client::ObjectClient& client,
                                                                VolcanoControllerOptions options,
                                                                SystemServices system_services, loop::LoopOptions loop);
  ~VolcanoControllerManager();
  VolcanoControllerManager(const VolcanoControllerManager&) = delete;
  VolcanoControllerManager& operator=(const VolcanoControllerManager&) = delete;

  void step(Instant now);
  [[nodiscard]] std::optional<Instant> next_due() const;
  void start();
  void stop();
  [[nodiscard]] loop::LoopCounters counters() const;
  [[nodiscard]] const loop::LoopHealth& health() const;   // from any thread
  [[nodiscard]] std::string metrics_text() const;         // Prometheus text with Volcano's names; from any thread
  [[nodiscard]] const ControllerCache& observed() const;  // Requires: as step()

 private:
  class ControllersReconciler;
  explicit VolcanoControllerManager(std::unique_ptr<ControllersReconciler> reconciler);
  std::unique_ptr<ControllersReconciler> reconciler_;
};

}  // namespace basalt::volcano
