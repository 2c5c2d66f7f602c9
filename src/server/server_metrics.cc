#include "server/server_metrics.h"

#include <fmt/format.h>

#include <iterator>
#include <mutex>

#include "kube/text/prometheus.h"
#include "server/server_metrics_text.h"

namespace basalt::server {

struct ServerMetrics::RequestSeries {
  struct Code {
    std::atomic<unsigned> code{0};  // 0: free; set once
    std::atomic<uint64_t> count{0};
  };
  std::array<Code, kMaxCodesPerSeries> codes;
  std::array<std::atomic<uint64_t>, kDurationBounds.size() + 1> buckets{};  // the last: above all bounds
  std::atomic<uint64_t> nanos{0};

  void count(unsigned code, double seconds) {
    for (size_t i = 0; i < codes.size(); ++i) {
      unsigned seen = codes[i].code.load(std::memory_order_acquire);
      if (seen == 0 && codes[i].code.compare_exchange_strong(seen, code)) seen = code;
      if (seen == code || i + 1 == codes.size()) {
        codes[i].count.fetch_add(1, std::memory_order_relaxed);
        break;
      }
    }
    size_t bucket = 0;
    while (bucket < kDurationBounds.size() && seconds > kDurationBounds[bucket]) ++bucket;
    buckets[bucket].fetch_add(1, std::memory_order_relaxed);
    if (seconds > 0 && seconds < 1e6) nanos.fetch_add(static_cast<uint64_t>(seconds * 1e9), std::memory_order_relaxed);
  }
};

namespace {

void append_labels(std::string& key, const RequestLabels& labels) {
  text::append_label(key, "component", "apiserver");
  text::append_label(key, "dry_run", labels.dry_run ? "All" : "");
  text::append_label(key, "group", labels.group);
  text::append_label(key, "resource", labels.resource);
  text::append_label(key, "scope", labels.scope);
  text::append_label(key, "subresource", labels.subresource);
  text::append_label(key, "verb", labels.verb);
  text::append_label(key, "version", labels.version);
}

void append_labels(std::string& key, const WatchLabels& labels) {
  text::append_label(key, "group", labels.group);
  text::append_label(key, "resource", labels.resource);
  text::append_label(key, "scope", labels.scope);
  text::append_label(key, "version", labels.version);
}

// Finds or makes the series of `key`; when there are `most` already, that of `other`.
template <class Map>
auto& find_or_add(Map& map, std::shared_mutex& lock, const std::string& key, size_t most, const std::string& other) {
  {
    const std::shared_lock reading(lock);
    if (const auto found = map.find(key); found != map.end()) return *found->second;
  }
  const std::unique_lock writing(lock);
  auto& slot = map[map.size() < most || map.contains(key) ? key : other];
  if (!slot) slot = std::make_unique<typename Map::mapped_type::element_type>();
  return *slot;
}

}  // namespace

ServerMetrics::ServerMetrics(double start_seconds, std::string version)
    : start_seconds_(start_seconds), version_(std::move(version)) {}
ServerMetrics::~ServerMetrics() = default;

ServerMetrics::RequestSeries& ServerMetrics::request_series(const RequestLabels& labels) {
  std::string key, other;
  append_labels(key, labels);
  append_labels(other, RequestLabels{.verb = "other", .resource = "other"});
  return find_or_add(requests_, lock_, key, kMaxRequestSeries, other);
}

void ServerMetrics::request_done(const RequestLabels& labels, unsigned code, double seconds) {
  request_series(labels).count(code == 0 ? 500 : code, seconds);
}

WatchSeries& ServerMetrics::watch_series(const WatchLabels& labels) {
  std::string key, other;
  append_labels(key, labels);
  append_labels(other, WatchLabels{.resource = "other"});
  return find_or_add(watches_, lock_, key, kMaxWatchSeries, other);
}

void ServerMetrics::render_requests(std::string& out) const {
  text::append_family(out, "apiserver_request_total", "counter", "Requests by verb, resource and HTTP code.");
  for (const auto& [labels, series] : requests_) {
    for (const RequestSeries::Code& slot : series->codes) {
      const unsigned code = slot.code.load(std::memory_order_acquire);
      const uint64_t count = slot.count.load(std::memory_order_relaxed);
      if (code == 0 || count == 0) continue;
      fmt::format_to(std::back_inserter(out), "apiserver_request_total{{code=\"{}\",{}}} {}\n", code, labels, count);
    }
  }
  constexpr std::string_view kDuration = "apiserver_request_duration_seconds";
  text::append_family(out, kDuration, "histogram", "How long requests took, from the last byte read to the answer.");
  for (const auto& [labels, series] : requests_) {
    std::array<uint64_t, kDurationBounds.size() + 1> counts{};
    for (size_t i = 0; i < counts.size(); ++i) counts[i] = series->buckets[i].load(std::memory_order_relaxed);
    const double seconds = static_cast<double>(series->nanos.load(std::memory_order_relaxed)) / 1e9;
    text::append_histogram(out, kDuration, labels, kDurationBounds, counts, seconds);
  }
}

void ServerMetrics::render_watches(std::string& out) const {
  text::append_family(out, "apiserver_longrunning_requests", "gauge", "Open watches, logs and execs.");
  for (const auto& [labels, series] : watches_) {
    fmt::format_to(std::back_inserter(out),
                   "apiserver_longrunning_requests{{component=\"apiserver\",subresource=\"\",verb=\"WATCH\",{}}} {}\n",
                   labels, series->open.load(std::memory_order_relaxed));
  }
  const auto of_pods = [&out](std::string_view subresource, std::string_view verb, int64_t open) {
    fmt::format_to(std::back_inserter(out),
                   "apiserver_longrunning_requests{{component=\"apiserver\",subresource=\"{}\",verb=\"{}\",group=\"\","
                   "resource=\"pods\",scope=\"resource\",version=\"v1\"}} {}\n",
                   subresource, verb, open);
  };
  of_pods("log", "GET", logs_.load(std::memory_order_relaxed));
  of_pods("exec", "CONNECT", execs_.load(std::memory_order_relaxed));
  text::append_family(out, "apiserver_watch_events_total", "counter", "Events sent to watches.");
  for (const auto& [labels, series] : watches_) {
    fmt::format_to(std::back_inserter(out), "apiserver_watch_events_total{{{}}} {}\n", labels,
                   series->events.load(std::memory_order_relaxed));
  }
}

std::string ServerMetrics::render(const MetricsSample& sample) const {
  std::string out;
  {
    const std::shared_lock reading(lock_);
    out.reserve(4096 + requests_.size() * 4096 + watches_.size() * 256);
    render_requests(out);
    render_watches(out);
  }
  text::append_family(out, "apiserver_current_inflight_requests", "gauge",
                      "Requests being worked on, without watches.");
  for (const bool mutating : {true, false}) {
    const int64_t count = (mutating ? mutating_ : reading_).load(std::memory_order_relaxed);
    fmt::format_to(std::back_inserter(out), "apiserver_current_inflight_requests{{request_kind=\"{}\"}} {}\n",
                   mutating ? "mutating" : "readOnly", count);
  }
  append_store(out, sample);
  append_process(out, start_seconds_, version_);
  return out;
}

}  // namespace basalt::server
