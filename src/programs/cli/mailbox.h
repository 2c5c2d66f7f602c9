// Letters from the threads of a client to the one that prints.
//
// Shared by both sides (a shared_ptr), because a watch may deliver a last event while its reader is already leaving.
// Bounded: who puts into a full one waits, until there is room or the reader has closed it. A reader closes it before
// it destroys the watches that fill it; otherwise their threads could wait for room that nobody makes any more.
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

template <std::movable Letter>
class Mailbox {
 public:
  explicit Mailbox(size_t room) : room_(room) {}

  void put(Letter letter) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || letters_.size() < room_; });
    if (closed_) return;
    letters_.push_back(std::move(letter));
    changed_.notify_all();
  }

  Letter take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !letters_.empty(); });
    return take_front();
  }

  // Nothing: none came in time. A zero wait only looks.
  std::optional<Letter> take_within(std::chrono::milliseconds wait) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, wait, [this] { return !letters_.empty(); })) return std::nullopt;
    return take_front();
  }

  void close() {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  // Requires: the lock is held and there is one.
  Letter take_front() {
    Letter letter = std::move(letters_.front());
    letters_.pop_front();
    changed_.notify_all();
    return letter;
  }

  const size_t room_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Letter> letters_;
  bool closed_ = false;
};

}  // namespace basalt::cli
