#include "kube/text/latency_histogram.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kube/text/prometheus.h"

namespace basalt::text {

std::vector<double> exponential_bounds(double least, double most, size_t count) {
  const double factor = std::pow(most / least, 1.0 / static_cast<double>(count - 1));
  std::vector<double> bounds(count);
  for (size_t i = 0; i < count; ++i) bounds[i] = least * std::pow(factor, static_cast<double>(i));
  return bounds;
}

LatencyHistogram::LatencyHistogram(std::vector<double> bounds_ms)
    : bounds_ms_(std::move(bounds_ms)), counts_(bounds_ms_.size() + 1) {}

void LatencyHistogram::observe(Duration took) {
  const int64_t nanos = std::max<int64_t>(0, took.nanos);
  const double millis = static_cast<double>(nanos) / 1e6;
  const auto bucket = std::lower_bound(bounds_ms_.begin(), bounds_ms_.end(), millis) - bounds_ms_.begin();
  counts_[static_cast<size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  nanos_.fetch_add(static_cast<uint64_t>(nanos), std::memory_order_relaxed);
}

void LatencyHistogram::append(std::string& out, std::string_view name, std::string_view labels) const {
  std::vector<uint64_t> counts(counts_.size());
  for (size_t i = 0; i < counts.size(); ++i) counts[i] = counts_[i].load(std::memory_order_relaxed);
  append_histogram(out, name, labels, bounds_ms_, counts,
                   static_cast<double>(nanos_.load(std::memory_order_relaxed)) / 1e6);
}

}  // namespace basalt::text
