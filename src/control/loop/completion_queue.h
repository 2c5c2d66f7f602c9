// What came of calls that were sent without waiting: put by the client's threads, taken by the loop's.
//
// Shared by both sides (a shared_ptr): a call may complete while its sender is already leaving. From any thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "control/loop/wake_up.h"

namespace basalt::loop {

template <class Completion>
class CompletionQueue {
 public:
  // `wake_up` is notified when there is something to take; it must outlive the last outstanding call. nullptr: nobody
  // is woken, the taker waits.
  explicit CompletionQueue(WakeUp* wake_up = nullptr) : wake_up_(wake_up) {}

  // A call is about to be sent: a put() will follow.
  void expect() {
    const std::lock_guard lock(mutex_);
    ++outstanding_;
  }
  void put(Completion completion) {
    const std::lock_guard lock(mutex_);
    completions_.push_back(std::move(completion));
    --outstanding_;
    arrived_.notify_one();
    // Once for all that take() answers. Under the lock: nobody touches the wake-up after wait() saw nothing
    // outstanding.
    if (wake_up_ != nullptr && completions_.size() == 1) wake_up_->notify();
  }
  [[nodiscard]] std::vector<Completion> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(completions_, {});
  }
  // Until at most so many calls are outstanding.
  void wait(size_t most = 0) {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return outstanding_ <= most; });
  }
  // Completions that were not taken count too: they take memory.
  [[nodiscard]] size_t load() const {
    const std::lock_guard lock(mutex_);
    return outstanding_ + completions_.size();
  }
  [[nodiscard]] bool has_completions() const {
    const std::lock_guard lock(mutex_);
    return !completions_.empty();
  }

 private:
  WakeUp* const wake_up_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Completion> completions_;
  size_t outstanding_ = 0;
};

}  // namespace basalt::loop
