// When the bench's pods were created, bound and running, by the bench's own clock, and the client through which it
// hears of them.
//
// The bench hears of bound pods by the watch that its simulated nodes need anyway: it passes through
// PodObservingClient, which reads three fields of each event. Of pods without a node, and where the cluster has nodes
// of its own, a KindWatcher tells. Memory: some 100 bytes per pod. All functions of PodTimeline may be called from any
// thread.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "control/loop/informer.h"
#include "kube/client/object_client.h"

namespace basalt::lab {

inline constexpr std::string_view kBenchPrefix = "bench-";    // of the names of pods that are timed
inline constexpr std::string_view kMisfitPrefix = "misfit-";  // of those that fit nowhere

class PodTimeline {
 public:
  using Clock = std::chrono::steady_clock;

  void send(const std::string& name);  // its create is about to be sent
  void take(const client::WatchEvent& event);

  [[nodiscard]] size_t sent() const { return sent_; }
  [[nodiscard]] size_t bound() const { return bound_; }
  [[nodiscard]] size_t running() const { return running_; }
  [[nodiscard]] size_t misfits() const { return misfits_; }  // that are told to be unschedulable
  [[nodiscard]] Clock::time_point last_bound() const;
  [[nodiscard]] Clock::time_point last_running() const;
  // Seconds from create (sent by us, else first heard of) to bound below which lies this part of all pods; 0: there are
  // none. Cost: O(pods).
  [[nodiscard]] double bound_after(double part) const;

 private:
  struct PodProgress {
    Clock::time_point begun;
    bool bound = false, running = false;
  };
  std::atomic<size_t> sent_ = 0, bound_ = 0, running_ = 0, misfits_ = 0;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, PodProgress> pods_;  // by name
  std::unordered_map<std::string, bool> misfit_pods_;
  std::vector<double> waits_;  // seconds
  Clock::time_point last_bound_, last_running_;
};

// Passes everything on; events about pods are shown to the schedule first.
class PodObservingClient final : public client::ObjectClient {
 public:
  // Requires: both outlive it and its watches.
  PodObservingClient(client::ObjectClient& client, PodTimeline& schedule) : client_(client), schedule_(schedule) {}
  void send(api::Call call, std::function<void(client::ReplyOrError)> done) override {
    client_.send(std::move(call), std::move(done));
  }
  [[nodiscard]] std::unique_ptr<client::Watch> watch(api::Call call,
                                                     std::function<void(client::WatchEvent)> receive) override;
  [[nodiscard]] bool streams_lists() const override { return client_.streams_lists(); }

 private:
  client::ObjectClient& client_;
  PodTimeline& schedule_;
};

// Lists and watches of a few kinds on a thread of its own, mended when they break.
class KindWatcher {
 public:
  using Take = std::function<void(size_t kind, const client::WatchEvent& event)>;  // a listed object is Added
  struct Kind {
    api::GroupVersionResource resource;
    std::string fields;  // selector; "": all
  };
  // Requires: `client` outlives it. `kinds` are numbered from 0. `tick` (may be empty) is called after each round of
  // news, at least once a second; all on the stream's thread.
  KindWatcher(client::ObjectClient& client, const std::vector<Kind>& kinds, Take take, std::function<void()> tick = {});
  ~KindWatcher();
  KindWatcher(const KindWatcher&) = delete;
  KindWatcher& operator=(const KindWatcher&) = delete;

 private:
  void run();
  loop::WakeUp wake_up_;
  loop::Informer informer_;
  Take take_;
  std::function<void()> tick_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace basalt::lab
