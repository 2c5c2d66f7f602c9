// How long things took, counted into buckets that grow by a constant factor.
//
// Threads: observe() and append() from any thread; one count is exact, counts rendered together may differ by what is
// being counted meanwhile. Cost of observe(): a search over some 20 bounds and two atomic additions.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"

namespace basalt::text {

// `count` bounds from `least` to `most` milliseconds, as Prometheus' ExponentialBucketsRange places them.
[[nodiscard]] std::vector<double> exponential_bounds(double least, double most, size_t count);

class LatencyHistogram {
 public:
  explicit LatencyHistogram(std::vector<double> bounds_ms);

  void observe(Duration took);  // less than nothing counts as nothing: clocks differ
  // The lines of this histogram, see kube/text/prometheus.h.
  void append(std::string& out, std::string_view name, std::string_view labels) const;

 private:
  std::vector<double> bounds_ms_;
  std::vector<std::atomic<uint64_t>> counts_;  // one more than bounds
  std::atomic<uint64_t> nanos_{0};
};

}  // namespace basalt::text
