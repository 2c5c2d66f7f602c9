#include "server/server_metrics.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace basalt::server {
namespace {

using Samples = std::map<std::string, double>;  // by the text before the value

bool is_name(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:") ==
         std::string_view::npos;
}

// Reads `{a="b",c="d"}` from its start; how long it is, or nullopt when it breaks the grammar.
std::optional<size_t> labels_length(std::string_view text) {
  size_t at = 1;
  std::set<std::string> names;
  while (true) {
    const size_t equals = text.find('=', at);
    if (equals == std::string_view::npos || !is_name(text.substr(at, equals - at))) return std::nullopt;
    if (!names.emplace(text.substr(at, equals - at)).second) return std::nullopt;
    at = equals + 1;
    if (at >= text.size() || text[at++] != '"') return std::nullopt;
    while (at < text.size() && text[at] != '"') {
      if (text[at] == '\\') {
        if (at + 1 >= text.size() || std::string_view("\\\"n").find(text[at + 1]) == std::string_view::npos) {
          return std::nullopt;
        }
        ++at;
      }
      ++at;
    }
    if (at + 1 >= text.size()) return std::nullopt;
    ++at;
    if (text[at] == '}') return at + 1;
    if (text[at++] != ',') return std::nullopt;
  }
}

// A strict reader of the text format: families are announced once, samples belong to the family before them.
Samples samples_of(const std::string& text) {
  Samples samples;
  std::set<std::string> families;
  std::string family, type;
  EXPECT_TRUE(text.ends_with('\n'));
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (line.starts_with("# HELP ")) {
      family = std::string(line.substr(7, line.find(' ', 7) - 7));
      EXPECT_TRUE(is_name(family)) << line;
      EXPECT_TRUE(families.insert(family).second) << family;
      continue;
    }
    if (line.starts_with("# TYPE ")) {
      EXPECT_EQ(line.substr(7, family.size() + 1), family + " ");
      type = std::string(line.substr(8 + family.size()));
      EXPECT_TRUE(type == "counter" || type == "gauge" || type == "histogram") << line;
      continue;
    }
    const size_t name_end = line.find_first_of("{ ");
    const std::string name(line.substr(0, name_end));
    const bool of_family = type == "histogram"
                               ? name == family + "_bucket" || name == family + "_sum" || name == family + "_count"
                               : name == family;
    EXPECT_TRUE(of_family) << line;
    size_t at = name_end;
    if (line[at] == '{') {
      const auto length = labels_length(line.substr(at));
      EXPECT_TRUE(length.has_value()) << line;
      if (!length) continue;
      at += *length;
    }
    EXPECT_EQ(line[at], ' ') << line;
    size_t used = 0;
    const std::string number(line.substr(at + 1));
    const double value = std::stod(number, &used);
    EXPECT_EQ(used, number.size()) << line;
    EXPECT_TRUE(samples.emplace(line.substr(0, at), value).second) << "twice: " << line;
  }
  return samples;
}

double value(const Samples& samples, const std::string& name) {
  const auto found = samples.find(name);
  EXPECT_NE(found, samples.end()) << name;
  return found == samples.end() ? -1 : found->second;
}

constexpr RequestLabels kCreatePod{
    .verb = "POST", .group = "", .version = "v1", .resource = "pods", .subresource = "", .scope = "resource"};
constexpr const char* kCreatePodText = R"(component="apiserver",dry_run="",group="",resource="pods",scope="resource",)"
                                       R"(subresource="",verb="POST",version="v1")";

TEST(ServerMetrics, CountsRequestsByLabelsAndCode) {
  ServerMetrics metrics(1000, "0.1.0");
  metrics.request_done(kCreatePod, 201, 0.001);
  metrics.request_done(kCreatePod, 201, 0.03);
  metrics.request_done(kCreatePod, 409, 100);
  const Samples samples = samples_of(metrics.render({}));
  const std::string labels = kCreatePodText;
  EXPECT_EQ(value(samples, "apiserver_request_total{code=\"201\"," + labels + "}"), 2);
  EXPECT_EQ(value(samples, "apiserver_request_total{code=\"409\"," + labels + "}"), 1);
  const std::string duration = "apiserver_request_duration_seconds";
  EXPECT_EQ(value(samples, duration + "_bucket{" + labels + ",le=\"0.0005\"}"), 0);
  EXPECT_EQ(value(samples, duration + "_bucket{" + labels + ",le=\"0.002\"}"), 1);
  EXPECT_EQ(value(samples, duration + "_bucket{" + labels + ",le=\"0.025\"}"), 1);
  EXPECT_EQ(value(samples, duration + "_bucket{" + labels + ",le=\"0.05\"}"), 2);
  EXPECT_EQ(value(samples, duration + "_bucket{" + labels + ",le=\"60\"}"), 2);
  EXPECT_EQ(value(samples, duration + "_bucket{" + labels + ",le=\"+Inf\"}"), 3);
  EXPECT_EQ(value(samples, duration + "_count{" + labels + "}"), 3);
  EXPECT_NEAR(value(samples, duration + "_sum{" + labels + "}"), 100.031, 1e-6);
}

TEST(ServerMetrics, ManyCodesAreCounted) {
  constexpr unsigned kCodes = 36;
  ServerMetrics metrics(0, "");
  for (unsigned code = 400; code < 400 + kCodes; ++code) metrics.request_done(kCreatePod, code, 0);
  double total = 0;
  for (const auto& [name, count] : samples_of(metrics.render({}))) {
    if (name.starts_with("apiserver_request_total")) total += count;
  }
  EXPECT_EQ(total, kCodes);
}

TEST(ServerMetrics, LabelSetsAreBounded) {
  ServerMetrics metrics(0, "");
  for (size_t i = 0; i < kMaxRequestSeries + 500; ++i) {
    const std::string name = "r" + std::to_string(i);
    metrics.request_done(RequestLabels{.verb = "GET", .resource = name}, 200, 0);
    metrics.watch_series({.resource = name}).events.add();
  }
  size_t requests = 0, watches = 0;
  double counted = 0;
  for (const auto& [name, count] : samples_of(metrics.render({}))) {
    if (name.starts_with("apiserver_request_total")) ++requests, counted += count;
    if (name.starts_with("apiserver_watch_events_total")) ++watches;
  }
  EXPECT_EQ(requests, kMaxRequestSeries + 1);
  EXPECT_EQ(watches, kMaxWatchSeries + 1);
  EXPECT_EQ(counted, kMaxRequestSeries + 500);
}

TEST(ServerMetrics, LabelValuesAreEscaped) {
  ServerMetrics metrics(0, "v\"1\"");
  metrics.request_done(RequestLabels{.verb = "GET", .resource = "a\"b\\c\nd"}, 200, 0);
  const std::string text = metrics.render({});
  samples_of(text);
  EXPECT_NE(text.find(R"(resource="a\"b\\c\nd")"), std::string::npos);
}

TEST(ServerMetrics, WatchesAndRequestsUnderWay) {
  ServerMetrics metrics(0, "");
  const WatchSeries pods = metrics.watch_series({.version = "v1", .resource = "pods", .scope = "cluster"});
  pods.open.add(2);
  pods.open.add(-1);
  pods.events.add(40);
  metrics.in_flight(true, 1);
  metrics.in_flight(false, 1);
  metrics.in_flight(false, -1);
  const Samples samples = samples_of(metrics.render({}));
  const std::string labels = R"(group="",resource="pods",scope="cluster",version="v1")";
  EXPECT_EQ(value(samples, "apiserver_watch_events_total{" + labels + "}"), 40);
  EXPECT_EQ(value(samples, "apiserver_longrunning_requests{component=\"apiserver\",subresource=\"\",verb=\"WATCH\"," +
                               labels + "}"),
            1);
  EXPECT_EQ(value(samples, "apiserver_current_inflight_requests{request_kind=\"mutating\"}"), 1);
  EXPECT_EQ(value(samples, "apiserver_current_inflight_requests{request_kind=\"readOnly\"}"), 0);
}

TEST(ServerMetrics, StoreAndProcess) {
  const ServerMetrics metrics(1700000000.5, "0.1.0");
  MetricsSample sample;
  sample.store.writes = 12;
  sample.store.full_commits = 3;
  sample.store_writable = false;
  sample.store.last_commit_seconds = 0.25;
  sample.revision = 4'000'000'000'000;
  sample.objects = {{"pods", 3}, {"jobs.batch.volcano.sh", 1}};
  const Samples samples = samples_of(metrics.render(sample));
  EXPECT_EQ(value(samples, "basalt_store_writes_total"), 12);
  EXPECT_EQ(value(samples, "basalt_store_writable"), 0);
  EXPECT_EQ(value(samples, "basalt_store_failed_commits_total{reason=\"full\"}"), 3);
  EXPECT_EQ(value(samples, "basalt_store_last_commit_seconds"), 0.25);
  EXPECT_EQ(value(samples, "basalt_store_revision"), 4e12);
  EXPECT_EQ(value(samples, "apiserver_storage_objects{resource=\"pods\"}"), 3);
  EXPECT_EQ(value(samples, "process_start_time_seconds"), 1700000000.5);
  EXPECT_GT(value(samples, "process_resident_memory_bytes"), 1e5);
  EXPECT_EQ(value(samples, "kubernetes_build_info{basalt_version=\"0.1.0\",git_version=\"v1.36.1+basalt\"}"), 1);
}

TEST(ServerMetrics, ThreadsDoNotLoseCounts) {
  ServerMetrics metrics(0, "");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&metrics] {
      for (unsigned i = 0; i < 1000; ++i) {
        const std::string name = "r" + std::to_string(i % 7);
        metrics.request_done(RequestLabels{.verb = "GET", .resource = name}, 200 + i % 3, 0.01);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  double total = 0;
  for (const auto& [name, count] : samples_of(metrics.render({}))) {
    if (name.starts_with("apiserver_request_total")) total += count;
  }
  EXPECT_EQ(total, 4000);
}

}  // namespace
}  // namespace basalt::server
