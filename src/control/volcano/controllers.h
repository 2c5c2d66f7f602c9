// Volcano's controllers, running: jobs, queues, pod groups, clean-up, cron jobs, job flows, hyper nodes.
//
// The thin shell around the pure plans (controller.h): a loop::Loop whose Mind is Observed and the registry. It
// keeps nothing that the API server does not have: killed at any point, the next one goes on.
//
// Threads: as loop::Loop. Either the owner calls step() (simulation, tests), or start() lets a thread do it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "control/loop/loop.h"
#include "control/volcano/controller.h"

namespace basalt::volcano {

class Controllers {
 public:
  // An error is about options.controllers. Requires: `client` outlives it.
  static Result<std::unique_ptr<Controllers>> make(client::ObjectClient& client, Options options, Outside outside,
                                                   loop::LoopOptions loop);
  ~Controllers();
  Controllers(const Controllers&) = delete;
  Controllers& operator=(const Controllers&) = delete;

  void step(Instant now);
  [[nodiscard]] std::optional<Instant> next_due() const;
  void start();
  void stop();
  [[nodiscard]] loop::LoopFigures figures() const;
  [[nodiscard]] const loop::Pulse& pulse() const;  // from any thread
  [[nodiscard]] std::string metrics_text() const;  // Prometheus text with Volcano's names; from any thread
  [[nodiscard]] const Observed& observed() const;  // Requires: as step()

 private:
  class Crew;
  explicit Controllers(std::unique_ptr<Crew> crew);
  std::unique_ptr<Crew> crew_;
};

}  // namespace basalt::volcano
