// Wakes the thread that works, from any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/instant.h"

namespace basalt::loop {

class Bell {
 public:
  void ring() {
    {
      const std::lock_guard lock(mutex_);
      ringing_ = true;
    }
    rung_.notify_one();
  }
  // Until it was rung, or `longest` is over. Answers whether it was rung.
  bool wait(Duration longest) {
    std::unique_lock lock(mutex_);
    rung_.wait_for(lock, std::chrono::nanoseconds(longest.nanos), [this] { return ringing_; });
    return std::exchange(ringing_, false);
  }

 private:
  std::mutex mutex_;
  std::condition_variable rung_;
  bool ringing_ = false;
};

}  // namespace basalt::loop
