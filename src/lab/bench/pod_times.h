// When pods came, were bound, ran and went, by our own clock, as a watch tells it.
//
// The watch runs on the store's committing thread, so a time is that of the commit which made the change durable.
// Memory: some 100 bytes per pod that has not gone. All functions may be called from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "kube/client/object_client.h"

namespace basalt::lab {

inline constexpr size_t kMaxWaits = 1'000'000;  // of create→bound times that are kept

class PodTimes {
 public:
  // Requires: `client` outlives it.
  explicit PodTimes(client::ObjectClient& client);

  [[nodiscard]] size_t created() const { return created_; }
  [[nodiscard]] size_t bound() const { return bound_; }
  [[nodiscard]] size_t running() const { return running_; }  // that were Running at some time
  [[nodiscard]] size_t gone() const { return gone_; }
  [[nodiscard]] bool is_broken() const { return broken_; }  // the watch ended: no count can be trusted

  // From created to bound, in milliseconds, below which lies this part of all pods; 0 when there are none. Cost:
  // O(pods).
  [[nodiscard]] double bound_after(double part) const;

 private:
  using Clock = std::chrono::steady_clock;
  struct PodProgress {
    Clock::time_point created;
    bool bound = false, running = false;
  };
  void take(const client::WatchEvent& event);

  std::atomic<size_t> created_ = 0, bound_ = 0, running_ = 0, gone_ = 0;
  std::atomic<bool> broken_ = false;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, PodProgress> pods_;  // by key
  std::vector<double> waits_;                          // milliseconds
  std::unique_ptr<client::Watch> watch_;               // the last: it ends before what it writes to goes
};

}  // namespace basalt::lab
