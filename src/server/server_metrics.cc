#include "server/server_metrics.h"

#include <array>
#include <utility>

#include "server/server_metrics_text.h"

namespace basalt::server {
namespace {

// Upper bounds of the buckets of a request's duration, in seconds; those of kube-apiserver, and two below them, because
// most of our requests would fall into its first.
std::vector<double> duration_bounds() {
  return {0.0005, 0.002, 0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1,  1.25, 1.5,
          2,      3,     4,     5,     6,    8,   10,  15,  20,  30,  45, 60};
}

// A request's labels after its code, and those of a watch, in the order of the declarations below.
constexpr std::array<std::string_view, 9> label_values(std::string_view code, const RequestLabels& labels) {
  return {code,
          "apiserver",
          labels.dry_run ? "All" : "",
          labels.group,
          labels.resource,
          labels.scope,
          labels.subresource,
          labels.verb,
          labels.version};
}

constexpr std::array<std::string_view, 7> label_values(const WatchLabels& labels) {
  return {"apiserver", "", "WATCH", labels.group, labels.resource, labels.scope, labels.version};
}

}  // namespace

ServerMetrics::ServerMetrics(double start_seconds, std::string version)
    : start_seconds_(start_seconds),
      version_(std::move(version)),
      requests_(page_.counters(
          {"apiserver_request_total",
           "Requests by verb, resource and HTTP code.",
           {"code", "component", "dry_run", "group", "resource", "scope", "subresource", "verb", "version"},
           kMaxRequestSeries})),
      durations_(
          page_.histograms({"apiserver_request_duration_seconds",
                            "How long requests took, from the last byte read to the answer.",
                            {"component", "dry_run", "group", "resource", "scope", "subresource", "verb", "version"},
                            kMaxDurationSeries,
                            duration_bounds()})),
      long_running_(page_.gauges({"apiserver_longrunning_requests",
                                  "Open watches, logs and execs.",
                                  {"component", "subresource", "verb", "group", "resource", "scope", "version"},
                                  kMaxWatchSeries + 2})),  // logs and execs
      logs_(long_running_.at({"apiserver", "log", "GET", "", "pods", "resource", "v1"})),
      execs_(long_running_.at({"apiserver", "exec", "CONNECT", "", "pods", "resource", "v1"})),
      watch_events_(page_.counters({"apiserver_watch_events_total",
                                    "Events sent to watches.",
                                    {"group", "resource", "scope", "version"},
                                    kMaxWatchSeries})),
      in_flight_(page_.gauges(
          {"apiserver_current_inflight_requests", "Requests being worked on, without watches.", {"request_kind"}})),
      mutating_(in_flight_.at({"mutating"})),
      reading_(in_flight_.at({"readOnly"})) {}

void ServerMetrics::request_done(const RequestLabels& labels, unsigned code, double seconds) {
  const std::string status = std::to_string(code == 0 ? 500 : code);
  const auto values = label_values(status, labels);
  const auto other = label_values(status, {.verb = "other", .resource = "other"});
  requests_.at(values, other).add();
  durations_.at(std::span(values).subspan(1), std::span(other).subspan(1)).observe(seconds);
}

WatchSeries ServerMetrics::watch_series(const WatchLabels& labels) {
  const auto values = label_values(labels);
  const auto other = label_values(WatchLabels{.resource = "other"});
  return {.open = long_running_.at(values, other),
          .events = watch_events_.at(std::span(values).subspan(3), std::span(other).subspan(3))};
}

std::string ServerMetrics::render(const MetricsSample& sample) const {
  std::string out = page_.text();
  append_store(out, sample);
  append_process(out, start_seconds_, version_);
  return out;
}

}  // namespace basalt::server
