#include "server/http/worker_pool.h"

#include <utility>

namespace basalt::server {

WorkerPool::WorkerPool(unsigned threads, size_t most_waiting) : here_(threads == 0), most_waiting_(most_waiting) {
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { serve(); });
}

void WorkerPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  more_.notify_all();
  threads_.clear();
  const std::deque<Waiting> left = std::exchange(queue_, {});
  for (const Waiting& one : left) one.work.late();
}

bool WorkerPool::post(Work work) {
  if (here_) {
    work.run();
    return true;
  }
  {
    const std::lock_guard lock(mutex_);
    if (ending_ || queue_.size() >= most_waiting_) return false;
    queue_.push_back({.work = std::move(work), .since = Clock::now()});
  }
  more_.notify_one();
  return true;
}

size_t WorkerPool::waiting() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

void WorkerPool::serve() {
  for (;;) {
    Waiting next;
    {
      std::unique_lock lock(mutex_);
      more_.wait(lock, [this] { return ending_ || !queue_.empty(); });
      if (ending_) return;
      next = std::move(queue_.front());
      queue_.pop_front();
    }
    running_.fetch_add(1, std::memory_order_relaxed);
    Clock::now() - next.since > kMaxWait ? next.work.late() : next.work.run();
    running_.fetch_sub(1, std::memory_order_relaxed);
  }
}

}  // namespace basalt::server
