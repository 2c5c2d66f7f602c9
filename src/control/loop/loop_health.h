// The health of a loop, for health checks.
//
// 1. The loop's thread calls mark_busy() whenever it begins a piece of work, and mark_idle() when it waits. A loop that
//    has called neither for long is stuck.
// 2. Until every followed kind was listed, it says which are missing.
//
// mark_busy(), mark_idle() and set_unsynced() by the loop's thread; the others from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "base/instant.h"

namespace basalt::loop {

class LoopHealth {
 public:
  void mark_busy() { at_.store(now(), std::memory_order_relaxed); }
  void mark_idle() { at_.store(kIdle, std::memory_order_relaxed); }
  // What is not known yet, "pods, nodes"; "": everything is.
  void set_unsynced(std::string what) {
    const std::scoped_lock lock(mutex_);
    unsynced_ = std::move(what);
  }

  // How long ago the work under way began; 0 while it rests.
  [[nodiscard]] Duration busy_for() const {
    const int64_t at = at_.load(std::memory_order_relaxed);
    return {at == kIdle ? 0 : now() - at};
  }
  [[nodiscard]] std::string unsynced() const {
    const std::scoped_lock lock(mutex_);
    return unsynced_;
  }

 private:
  static constexpr int64_t kIdle = -1;
  static int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  std::atomic<int64_t> at_ = kIdle;
  mutable std::mutex mutex_;
  std::string unsynced_ = "the first step";
};

}  // namespace basalt::loop
