// What the server counts, as Prometheus reads it. Names and labels are kube-apiserver's where it has the same figure,
// so that dashboards and alerts made for it work.
//
// 1. Counting never blocks on rendering (kube/text/metric_registry.h). A request costs two lookups; a watch looks up
//    once and keeps its series.
// 2. Label sets are bounded: after kMaxRequestSeries (kMaxDurationSeries, kMaxWatchSeries) different ones, further
//    requests (watches) count under resource="other". Clients can not make memory grow.
// 3. Series are never removed: references stay valid as long as the ServerMetrics.
//
// Threads: every function may be called from any thread. One figure is exact; figures rendered together may differ by
// requests that are being counted meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/text/metric_registry.h"
#include "server/store/store.h"

namespace basalt::server {

inline constexpr size_t kMaxRequestSeries = 5'000;  // a code makes a series of its own
inline constexpr size_t kMaxDurationSeries = 2'000;
inline constexpr size_t kMaxWatchSeries = 1'000;

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
  text::Gauge& open;
  text::Counter& events;
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

  // One answered request. `code`: the HTTP status.
  void request_done(const RequestLabels& labels, unsigned code, double seconds);

  // Requests under way, watches excepted: +1 when one starts, -1 when it ends.
  void in_flight(bool mutating, int change) { (mutating ? mutating_ : reading_).add(change); }

  // Logs and commands in containers that are open: +1, -1. Other subresources are not counted here.
  void long_running(std::string_view subresource, int change) {
    if (subresource == "log") logs_.add(change);
    if (subresource == "exec") execs_.add(change);
  }

  // The series of a kind of watch: open += 1, events += n, open -= 1.
  [[nodiscard]] WatchSeries watch_series(const WatchLabels& labels);

  // The exposition text (format 0.0.4), series sorted by their labels.
  [[nodiscard]] std::string render(const MetricsSample& sample) const;

 private:
  double start_seconds_;
  std::string version_;

  text::MetricRegistry page_;
  text::Counters& requests_;
  text::Histograms& durations_;
  text::Gauges& long_running_;
  text::Gauge& logs_;
  text::Gauge& execs_;
  text::Counters& watch_events_;
  text::Gauges& in_flight_;
  text::Gauge& mutating_;
  text::Gauge& reading_;
};

}  // namespace basalt::server
