// Wakes the thread that works, from any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/instant.h"

namespace basalt::loop {

class WakeUp {
 public:
  void notify() {
    {
      const std::lock_guard lock(mutex_);
      notified_ = true;
    }
    condition_.notify_one();
  }
  // Until it was notified, or `longest` is over. Answers whether it was notified.
  bool wait(Duration longest) {
    std::unique_lock lock(mutex_);
    condition_.wait_for(lock, std::chrono::nanoseconds(longest.nanos), [this] { return notified_; });
    return std::exchange(notified_, false);
  }

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
  bool notified_ = false;
};

}  // namespace basalt::loop
