// A rebuild of the state from the API for the self-check, beside the scheduler's work.
//
// In the background it has a thread of its own, so that listing a large cluster holds up no cycle; otherwise it is made
// at once, in start(). One at a time.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "control/loop/bell.h"
#include "control/scheduler/self_check.h"

namespace basalt::scheduler {

class CheckRun {
 public:
  using Rebuilt = Result<std::unique_ptr<model::ClusterState>>;

  // Requires: both outlive it.
  CheckRun(client::ObjectClient& client, loop::Bell& bell) : client_(client), bell_(bell) {}
  ~CheckRun() { wait(); }
  CheckRun(const CheckRun&) = delete;
  CheckRun& operator=(const CheckRun&) = delete;

  // Requires: !is_running().
  void start(const state::FeedOptions& options, bool in_background);
  [[nodiscard]] bool is_running() const { return running_; }
  // What was rebuilt, once.
  [[nodiscard]] std::optional<Rebuilt> take();
  void wait();  // until it has ended

 private:
  client::ObjectClient& client_;
  loop::Bell& bell_;
  bool running_ = false;
  std::thread thread_;
  std::mutex mutex_;
  std::optional<Rebuilt> rebuilt_;
};

}  // namespace basalt::scheduler
