// What the server counts, as Prometheus reads it. Names and labels are kube-apiserver's where it has the same figure,
// so that dashboards and alerts made for it work.
//
// 1. Counting never blocks on rendering: a label set is found under a shared lock, then counted with atomics. A request
//    costs one lookup; a watch looks up once and keeps its series.
// 2. Label sets are bounded: after kMaxRequestSeries (kMaxWatchSeries) different ones, further requests (watches) count
//    under resource="other". Clients can not make memory grow.
// 3. Series are never removed: references stay valid as long as the ServerMetrics.
//
// Threads: every function may be called from any thread. One figure is exact; figures rendered together may differ by
// requests that are being counted meanwhile.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/store/store.h"

namespace basalt::server {

inline constexpr size_t kMaxRequestSeries = 2'000;
inline constexpr size_t kMaxWatchSeries = 1'000;
inline constexpr size_t kMaxCodesPerSeries = 12;  // more different codes count as the last one's

// Upper bounds of the buckets of a request's duration, in seconds; those of kube-apiserver, and two below them, because
// most of our requests would fall into its first.
inline constexpr std::array<double, 25> kDurationBounds = {
    0.0005, 0.002, 0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60};

struct RequestLabels {
  std::string_view verb;  // GET LIST WATCH POST PUT PATCH APPLY DELETE DELETECOLLECTION
  std::string_view group, version, resource, subresource;
  std::string_view scope;  // "resource": one object · "namespace" · "cluster" · "": no resource
  bool dry_run = false;
};

struct WatchLabels {
  std::string_view group, version, resource;
  std::string_view scope;
};

struct WatchSeries {
  std::atomic<int64_t> open{0};
  std::atomic<uint64_t> events{0};
};

// What the store and the server know at the moment of rendering.
struct MetricsSample {
  store::Store::Figures store;
  bool store_writable = true;
  store::Revision revision = 0, compacted = 0;
  std::vector<std::pair<std::string, size_t>> objects;  // by resource: "pods", "jobs.batch.volcano.sh"
  size_t open_connections = 0;
  uint64_t refused_connections = 0;
  uint64_t closed_for_room = 0;                     // connections
  size_t request_body_bytes = 0, answer_bytes = 0;  // under way
  size_t waiting_work = 0, running_work = 0;        // that may take long
  uint64_t memory_limit = 0;                        // 0: none
  bool memory_tight = false;
};

class ServerMetrics {
 public:
  // `start_seconds`: when the process began, since the Unix epoch; `version`: of the program, for the build info.
  ServerMetrics(double start_seconds, std::string version);
  ~ServerMetrics();
  ServerMetrics(const ServerMetrics&) = delete;
  ServerMetrics& operator=(const ServerMetrics&) = delete;

  // One answered request. `code`: the HTTP status.
  void request_done(const RequestLabels& labels, unsigned code, double seconds);

  // Requests under way, watches excepted: +1 when one starts, -1 when it ends.
  void in_flight(bool mutating, int change) {
    (mutating ? mutating_ : reading_).fetch_add(change, std::memory_order_relaxed);
  }

  // Logs and commands in containers that are open: +1, -1. Other subresources are not counted here.
  void long_running(std::string_view subresource, int change) {
    if (subresource == "log") logs_.fetch_add(change, std::memory_order_relaxed);
    if (subresource == "exec") execs_.fetch_add(change, std::memory_order_relaxed);
  }

  // The series of a kind of watch: open += 1, events += n, open -= 1.
  [[nodiscard]] WatchSeries& watch_series(const WatchLabels& labels);

  // The exposition text (format 0.0.4), series sorted by their labels.
  [[nodiscard]] std::string render(const MetricsSample& sample) const;

 private:
  struct RequestSeries;

  [[nodiscard]] RequestSeries& request_series(const RequestLabels& labels);
  void render_requests(std::string& out) const;
  void render_watches(std::string& out) const;

  double start_seconds_;
  std::string version_;
  std::atomic<int64_t> mutating_{0}, reading_{0}, logs_{0}, execs_{0};
  mutable std::shared_mutex lock_;  // guards the shape of the two maps, not the figures in them
  std::map<std::string, std::unique_ptr<RequestSeries>, std::less<>> requests_;  // by their labels as text
  std::map<std::string, std::unique_ptr<WatchSeries>, std::less<>> watches_;
};

}  // namespace basalt::server
