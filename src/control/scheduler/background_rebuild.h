// A rebuild of the state from the API for the self-check, beside the scheduler's work.
//
// In the background it has a thread of its own, so that listing a large cluster holds up no cycle; otherwise it is made
// at once, in start(). One at a time.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "control/loop/wake_up.h"
#include "control/scheduler/self_check.h"

namespace basalt::scheduler {

class BackgroundRebuild {
 public:
  using Rebuilt = Result<std::unique_ptr<model::ClusterState>>;

  // Requires: both outlive it.
  BackgroundRebuild(client::ObjectClient& client, loop::WakeUp& wake_up) : client_(client), wake_up_(wake_up) {}
  ~BackgroundRebuild() { wait(); }
  BackgroundRebuild(const BackgroundRebuild&) = delete;
  BackgroundRebuild& operator=(const BackgroundRebuild&) = delete;

  // Requires: !is_running().
  void start(const state::StateOptions& options, bool in_background);
  [[nodiscard]] bool is_running() const { return running_; }
  // What was rebuilt, once.
  [[nodiscard]] std::optional<Rebuilt> take();
  void wait();  // until it has ended

 private:
  client::ObjectClient& client_;
  loop::WakeUp& wake_up_;
  bool running_ = false;
  std::thread thread_;
  std::mutex mutex_;
  std::optional<Rebuilt> rebuilt_;
};

}  // namespace basalt::scheduler
