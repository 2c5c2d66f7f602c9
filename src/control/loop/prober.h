// Makes probes: opens connections and asks for pages, on a few threads of its own.
//
// A probe is good when the connection stands within kProbeTimeout and, with HTTP, the answer is 2xx or 3xx. When more
// than kMaxProbesWaiting wait, a further one is not good. The destructor ends probes that are under way; every `done`
// has been called when it returns.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/result.h"
#include "control/loop/write_plan.h"
#include "kube/net/interrupt.h"

namespace basalt::loop {

inline constexpr std::chrono::milliseconds kProbeTimeout{1'000};
inline constexpr size_t kMaxProbesWaiting = 1'000;
inline constexpr size_t kProbeThreads = 4;

class Prober {
 public:
  // Fails only when the system gives no file descriptor.
  static Result<std::unique_ptr<Prober>> make();
  explicit Prober(std::shared_ptr<net::Interrupt> interrupt);
  ~Prober();
  Prober(const Prober&) = delete;
  Prober& operator=(const Prober&) = delete;

  // From any thread; `done` is called on a thread of the prober, or at once when there is no room.
  void ask(const Probe& probe, std::function<void(bool good)> done);

 private:
  struct Waiting {
    Probe probe;
    std::function<void(bool)> done;
  };
  void work();

  std::shared_ptr<net::Interrupt> interrupt_;  // shared with the connections that it ends
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<Waiting> waiting_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;  // started with the first probe
};

// One probe, here and now. `interrupt` may be null.
[[nodiscard]] bool is_good(const Probe& probe, const std::shared_ptr<const net::Interrupt>& interrupt);

}  // namespace basalt::loop
