// A bounded queue from the client's threads to the one that prints.
//
// Shared by both sides (a shared_ptr), because a watch may deliver a last event while its reader is already leaving.
// put() on a full queue waits until there is capacity or the reader has closed it. A reader closes it
// before it destroys the watches that fill it; otherwise their threads could wait for capacity that nobody makes any
// more.
#pragma once

#include <chrono>
#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace basalt::cli {

template <std::movable Item>
class BoundedQueue {
 public:
  explicit BoundedQueue(size_t capacity) : capacity_(capacity) {}

  void put(Item item) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || items_.size() < capacity_; });
    if (closed_) return;
    items_.push_back(std::move(item));
    changed_.notify_all();
  }

  Item take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !items_.empty(); });
    return take_front();
  }

  // Nothing: none came in time. A zero wait only looks.
  std::optional<Item> take_within(std::chrono::milliseconds wait) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, wait, [this] { return !items_.empty(); })) return std::nullopt;
    return take_front();
  }

  void close() {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  // Requires: the lock is held and there is one.
  Item take_front() {
    Item item = std::move(items_.front());
    items_.pop_front();
    changed_.notify_all();
    return item;
  }

  const size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  bool closed_ = false;
};

}  // namespace basalt::cli
