#include "server/ticker.h"

namespace basalt::server {

Ticker::Ticker(std::chrono::milliseconds interval) : thread_([this, interval] { run(interval); }) {}

Ticker::~Ticker() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stop_signal_.notify_all();
  thread_.join();
}

void Ticker::add(std::weak_ptr<Listener> listener) {
  const std::lock_guard lock(mutex_);
  listeners_.push_back(std::move(listener));
}

void Ticker::run(std::chrono::milliseconds interval) {
  std::unique_lock lock(mutex_);
  while (!stop_signal_.wait_for(lock, interval, [this] { return stop_; })) {
    std::vector<std::shared_ptr<Listener>> present;
    std::erase_if(listeners_, [&present](const std::weak_ptr<Listener>& weak) {
      auto listener = weak.lock();
      if (listener == nullptr) return true;
      present.push_back(std::move(listener));
      return false;
    });
    lock.unlock();
    for (const auto& listener : present) listener->tick();
    present.clear();  // may destroy listeners: not under the lock
    lock.lock();
  }
}

}  // namespace basalt::server
