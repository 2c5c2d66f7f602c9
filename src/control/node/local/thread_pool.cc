#include "control/node/local/thread_pool.h"

#include <utility>

namespace basalt::node {

ThreadPool::ThreadPool(size_t threads) {
  for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

ThreadPool::~ThreadPool() { close(); }

bool ThreadPool::post(Work work) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || waiting_.size() >= kMaxPoolTasks) return false;
    waiting_.push_back(std::move(work));
  }
  more_.notify_one();
  return true;
}

bool ThreadPool::post_in(std::chrono::nanoseconds delay, Work work) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || later_.size() >= kMaxPoolTasks) return false;
    later_.emplace(std::chrono::steady_clock::now() + delay, std::move(work));
  }
  more_.notify_one();
  return true;
}

void ThreadPool::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    waiting_.clear();
    later_.clear();
  }
  more_.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

void ThreadPool::run() {
  std::unique_lock lock(mutex_);
  while (!closed_) {
    const Time now = std::chrono::steady_clock::now();
    while (!later_.empty() && later_.begin()->first <= now) {
      waiting_.push_back(std::move(later_.begin()->second));
      later_.erase(later_.begin());
    }
    if (waiting_.empty()) {
      if (later_.empty()) {
        more_.wait(lock);
      } else {
        const Time next = later_.begin()->first;
        more_.wait_until(lock, next);
      }
      continue;
    }
    Work work = std::move(waiting_.front());
    waiting_.pop_front();
    if (!waiting_.empty() || !later_.empty()) more_.notify_one();  // somebody else must look at the time
    lock.unlock();
    work();
    work = nullptr;  // what it holds goes while nobody waits for us
    lock.lock();
  }
}

}  // namespace basalt::node
