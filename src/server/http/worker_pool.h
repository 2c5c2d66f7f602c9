// A few threads for work that takes too long for those that serve the network, and a bounded queue before them.
//
// Order: first come, first served; nothing is promised about when it ends. Whoever needs an order waits for the answer
// (a connection asks one thing at a time). Work that waited for longer than kMaxWait is not begun: whoever asked has
// gone, or will ask again.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace basalt::server {

class WorkerPool {
 public:
  static constexpr size_t kMaxWaiting = 1'000;
  static constexpr std::chrono::seconds kMaxWait{30};

  // Without threads: work runs on the caller's.
  explicit WorkerPool(unsigned threads, size_t most_waiting = kMaxWaiting);
  ~WorkerPool() { stop(); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  struct Work {
    std::function<void()> run;
    std::function<void()> late;  // instead: it waited too long, or the pool ends
  };
  // False, and nothing is called: too much waits already. From any thread.
  [[nodiscard]] bool post(Work work);

  // Waits for what is being done; what still waits is told `late`, and nothing more is taken. Again: nothing.
  void stop();

  [[nodiscard]] size_t waiting() const;
  [[nodiscard]] size_t running() const { return running_.load(std::memory_order_relaxed); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    Work work;
    Clock::time_point since;
  };

  void serve();

  const bool here_;
  const size_t most_waiting_;
  std::atomic<size_t> running_{0};
  mutable std::mutex mutex_;  // guards what follows, but for the threads
  std::condition_variable more_;
  std::deque<Waiting> queue_;
  bool ending_ = false;
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace basalt::server
