// A few threads for work that would hold up the node's loop: files, mounts, starting processes; and for what is to be
// done later.
//
// Work that is due runs in the order in which it was posted, up to `threads` at a time. At most kMaxPoolTasks wait:
// beyond, post() refuses. In the destructor queued work is dropped and running work finishes.
//
// Threads: post() from any thread, also from work.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace basalt::node {

inline constexpr size_t kMaxPoolTasks = 100'000;

class ThreadPool {
 public:
  using Work = std::function<void()>;

  explicit ThreadPool(size_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // False: there is no room, or it is closed.
  bool post(Work work);
  bool post_in(std::chrono::nanoseconds delay, Work work);
  // No work is begun from here on, and none is under way when it returns. Not from work.
  void close();

 private:
  using Time = std::chrono::steady_clock::time_point;
  void run();

  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<Work> waiting_;
  std::multimap<Time, Work> later_;
  bool closed_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace basalt::node
