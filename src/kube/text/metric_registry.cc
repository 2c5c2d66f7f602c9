#include "kube/text/metric_registry.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "base/check.h"
#include "kube/text/prometheus.h"

namespace basalt::text {
namespace {

template <MetricCell Cell>
constexpr std::string_view type_word() {
  if constexpr (std::same_as<Cell, Counter>) return "counter";
  if constexpr (std::same_as<Cell, Gauge>) return "gauge";
  return "histogram";
}

}  // namespace

std::vector<double> exponential_bounds(double least, double most, size_t count) {
  const double factor = std::pow(most / least, 1.0 / static_cast<double>(count - 1));
  std::vector<double> bounds(count);
  for (size_t i = 0; i < count; ++i) bounds[i] = least * std::pow(factor, static_cast<double>(i));
  return bounds;
}

Histogram::Histogram(std::vector<double> bounds) : bounds_(std::move(bounds)), counts_(bounds_.size() + 1) {}

void Histogram::observe(double value) {
  const double counted = std::max(0.0, value);
  const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), counted) - bounds_.begin();
  counts_[static_cast<size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(counted, std::memory_order_relaxed);
}

void Histogram::append(std::string& out, std::string_view name, std::string_view labels) const {
  std::vector<uint64_t> counts(counts_.size());
  for (size_t i = 0; i < counts.size(); ++i) counts[i] = counts_[i].load(std::memory_order_relaxed);
  append_histogram(out, name, labels, bounds_, counts, sum_.load(std::memory_order_relaxed));
}

template <MetricCell Cell>
MetricFamily<Cell>::MetricFamily(MetricDeclaration declared) : declared_(std::move(declared)), not_shown_(new_cell()) {}

template <MetricCell Cell>
std::unique_ptr<Cell> MetricFamily<Cell>::new_cell() const {
  if constexpr (std::same_as<Cell, Histogram>) {
    return std::make_unique<Histogram>(declared_.bounds);
  } else {
    return std::make_unique<Cell>();
  }
}

template <MetricCell Cell>
std::string MetricFamily<Cell>::label_text(Values values) const {
  check(values.size() <= declared_.labels.size(), "a series has the labels that its family declared");
  std::string text;
  auto name = declared_.labels.begin();
  for (const std::string_view value : values) append_label(text, *name++, value);
  return text;
}

template <MetricCell Cell>
Cell& MetricFamily<Cell>::at(Values values, Values beyond) {
  check(values.size() == declared_.labels.size(), "every label of a series has a value");
  std::string key = label_text(values);
  {
    const std::shared_lock reading(lock_);
    if (const auto found = series_.find(key); found != series_.end()) return *found->second;
  }
  const std::unique_lock writing(lock_);
  if (series_.size() >= declared_.most_series && !series_.contains(key)) {
    if (beyond.empty()) return *not_shown_;
    key = label_text(beyond);
  }
  std::unique_ptr<Cell>& cell = series_[std::move(key)];
  if (!cell) cell = new_cell();
  return *cell;
}

template <MetricCell Cell>
MetricFamily<Cell>& MetricFamily<Cell>::with(std::span<const std::string_view> values) {
  for (const std::string_view value : values) static_cast<void>(at({value}));
  return *this;
}

template <MetricCell Cell>
void MetricFamily<Cell>::remove(std::initializer_list<std::string_view> leading) {
  const std::string first = label_text({leading.begin(), leading.size()});
  const std::unique_lock writing(lock_);
  auto at = series_.lower_bound(first);
  while (at != series_.end() && at->first.starts_with(first)) at = series_.erase(at);
}

template <MetricCell Cell>
void MetricFamily<Cell>::append(std::string& out) const {
  append_family(out, declared_.name, type_word<Cell>(), declared_.help);
  const std::shared_lock reading(lock_);
  for (const auto& [labels, cell] : series_) {
    if constexpr (std::same_as<Cell, Histogram>) {
      cell->append(out, declared_.name, labels);
    } else {
      append_series(out, declared_.name, labels, cell->value());
    }
  }
}

template class MetricFamily<Counter>;
template class MetricFamily<Gauge>;
template class MetricFamily<Histogram>;

Counters& MetricRegistry::counters(MetricDeclaration declared) {
  Counters& family = counters_.emplace_back(std::move(declared));
  read_here([&family](std::string& out) { family.append(out); });
  return family;
}

Gauges& MetricRegistry::gauges(MetricDeclaration declared) {
  Gauges& family = gauges_.emplace_back(std::move(declared));
  read_here([&family](std::string& out) { family.append(out); });
  return family;
}

Histograms& MetricRegistry::histograms(MetricDeclaration declared) {
  Histograms& family = histograms_.emplace_back(std::move(declared));
  read_here([&family](std::string& out) { family.append(out); });
  return family;
}

Counter& MetricRegistry::counter(std::string name, std::string help) {
  return counters({.name = std::move(name), .help = std::move(help), .labels = {}}).at({});
}

Gauge& MetricRegistry::gauge(std::string name, std::string help) {
  return gauges({.name = std::move(name), .help = std::move(help), .labels = {}}).at({});
}

Histogram& MetricRegistry::histogram(std::string name, std::string help, std::vector<double> bounds) {
  return histograms({.name = std::move(name), .help = std::move(help), .labels = {}, .bounds = std::move(bounds)})
      .at({});
}

void MetricRegistry::read_here(std::function<void(std::string& out)> append) { parts_.push_back(std::move(append)); }

std::string MetricRegistry::text() const {
  std::string out;
  for (const auto& append : parts_) append(out);
  return out;
}

}  // namespace basalt::text
