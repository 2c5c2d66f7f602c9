// The metrics that a program counts, and the page on which Prometheus reads them (text format 0.0.4).
//
//   class LineMetrics {
//     text::MetricRegistry page_;
//     text::Counter& read_ = page_.counter("lines_read_total", "Lines read.");
//     text::Counters& ended_ = page_.counters({"lines_total", "Lines by how they ended.", {"result"}}).with(kResults);
//     ...
//     read_.add();
//     ended_.at({"refused"}).add();
//     return page_.text();
//
// 1. Name, help, labels and buckets are written once, where the metric is declared. The page has the metrics in the
//    order of their declarations and the series of a family by the text of their labels.
// 2. A family has a bounded number of series. What comes when it is full is counted in the series that the caller names
//    for it, or not shown.
// 3. References live as long as the registry; that to a series of a family until remove() names it.
//
// Threads: every function may be called from any thread, but declarations come before the rest, and nobody may use a
// series that is being removed. One figure is exact; figures rendered together may differ by what is counted meanwhile.
// Cost: at() a lookup under a shared lock; counting is atomics only.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"

namespace basalt::text {

inline constexpr size_t kMaxFamilySeries = 5'000;  // of a family that names no limit of its own

class Counter {
 public:
  void add(double amount = 1) { value_.fetch_add(amount, std::memory_order_relaxed); }
  [[nodiscard]] double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0};
};

class Gauge {
 public:
  void set(double value) { value_.store(value, std::memory_order_relaxed); }
  void add(double change) { value_.fetch_add(change, std::memory_order_relaxed); }
  [[nodiscard]] double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0};
};

class Histogram {
 public:
  // `bounds`: ascending; a bound belongs to the bucket below it.
  explicit Histogram(std::vector<double> bounds);
  void observe(double value);  // less than nothing counts as nothing: clocks differ
  void observe_ms(Duration took) { observe(static_cast<double>(took.nanos) / 1e6); }
  // Its lines, see kube/text/prometheus.h.
  void append(std::string& out, std::string_view name, std::string_view labels) const;

 private:
  std::vector<double> bounds_;
  std::vector<std::atomic<uint64_t>> counts_;  // one more than bounds
  std::atomic<double> sum_{0};
};

// `count` bounds from `least` to `most`, as Prometheus' ExponentialBucketsRange places them.
[[nodiscard]] std::vector<double> exponential_bounds(double least, double most, size_t count);

template <class Cell>
concept MetricCell = std::same_as<Cell, Counter> || std::same_as<Cell, Gauge> || std::same_as<Cell, Histogram>;

struct MetricDeclaration {
  std::string name, help;
  std::vector<std::string> labels;  // in the order in which the page shows them
  size_t most_series = kMaxFamilySeries;
  std::vector<double> bounds = {};  // of a histogram
};

template <MetricCell Cell>
class MetricFamily {
 public:
  using Values = std::span<const std::string_view>;  // of the labels, as many as were declared

  explicit MetricFamily(MetricDeclaration declared);
  // The series of `values`, made if it is new; when the family is full that of `beyond`, which is made in any case, or,
  // if that is empty, one that no page shows.
  [[nodiscard]] Cell& at(Values values, Values beyond);
  [[nodiscard]] Cell& at(std::initializer_list<std::string_view> values) {
    return at({values.begin(), values.size()}, {});
  }
  // Shows the series of these values from the start. Requires: the family has one label.
  MetricFamily& with(std::span<const std::string_view> values);
  // Removes every series whose first labels have these values.
  void remove(std::initializer_list<std::string_view> leading);
  void append(std::string& out) const;

 private:
  [[nodiscard]] std::string label_text(Values values) const;
  [[nodiscard]] std::unique_ptr<Cell> new_cell() const;

  const MetricDeclaration declared_;
  mutable std::shared_mutex lock_;                                    // guards the map, not the figures in it
  std::map<std::string, std::unique_ptr<Cell>, std::less<>> series_;  // by the text of their labels
  const std::unique_ptr<Cell> not_shown_;
};

using Counters = MetricFamily<Counter>;
using Gauges = MetricFamily<Gauge>;
using Histograms = MetricFamily<Histogram>;
extern template class MetricFamily<Counter>;
extern template class MetricFamily<Gauge>;
extern template class MetricFamily<Histogram>;

class MetricRegistry {
 public:
  MetricRegistry() = default;
  MetricRegistry(const MetricRegistry&) = delete;
  MetricRegistry& operator=(const MetricRegistry&) = delete;

  [[nodiscard]] Counter& counter(std::string name, std::string help);
  [[nodiscard]] Gauge& gauge(std::string name, std::string help);
  [[nodiscard]] Histogram& histogram(std::string name, std::string help, std::vector<double> bounds);
  [[nodiscard]] Counters& counters(MetricDeclaration declared);
  [[nodiscard]] Gauges& gauges(MetricDeclaration declared);
  [[nodiscard]] Histograms& histograms(MetricDeclaration declared);
  // Families that are not counted but read when the page is made: `append` adds them at this place.
  void read_here(std::function<void(std::string& out)> append);

  [[nodiscard]] std::string text() const;

 private:
  std::deque<Counters> counters_;
  std::deque<Gauges> gauges_;
  std::deque<Histograms> histograms_;
  std::vector<std::function<void(std::string&)>> parts_;  // in the order of declaration
};

}  // namespace basalt::text
