#include "kube/text/prometheus.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace basalt::text {
namespace {

TEST(Prometheus, LabelsAreEscapedAndJoined) {
  std::string labels;
  append_label(labels, "a", "x");
  append_label(labels, "b", "back\\slash \"quoted\"\nline");
  EXPECT_EQ(labels, R"(a="x",b="back\\slash \"quoted\"\nline")");
}

TEST(Prometheus, SeriesWithAndWithoutLabels) {
  std::string out;
  append_family(out, "f", "gauge", "Some figure.");
  append_series(out, "f", "", 2);
  append_series(out, "f", "a=\"x\"", 0.25);
  EXPECT_EQ(out, "# HELP f Some figure.\n# TYPE f gauge\nf 2\nf{a=\"x\"} 0.25\n");
}

TEST(Prometheus, BucketsOfAHistogramAddUp) {
  constexpr std::array<double, 2> kBounds = {0.5, 10};
  constexpr std::array<uint64_t, 3> kCounts = {1, 2, 4};
  std::string out;
  append_histogram(out, "h", "a=\"x\"", kBounds, kCounts, 70.5);
  EXPECT_EQ(out,
            "h_bucket{a=\"x\",le=\"0.5\"} 1\nh_bucket{a=\"x\",le=\"10\"} 3\nh_bucket{a=\"x\",le=\"+Inf\"} 7\n"
            "h_sum{a=\"x\"} 70.5\nh_count{a=\"x\"} 7\n");
  out.clear();
  append_histogram(out, "h", "", kBounds, kCounts, 1);
  EXPECT_EQ(out, "h_bucket{le=\"0.5\"} 1\nh_bucket{le=\"10\"} 3\nh_bucket{le=\"+Inf\"} 7\nh_sum 1\nh_count 7\n");
}

TEST(Prometheus, Numbers) {
  EXPECT_EQ(metric_number(3), "3");
  EXPECT_EQ(metric_number(0.1), "0.1");
  EXPECT_EQ(metric_number(1e300), "1e+300");
  EXPECT_EQ(metric_number(std::numeric_limits<double>::infinity()), "+Inf");
  EXPECT_EQ(metric_number(-std::numeric_limits<double>::infinity()), "-Inf");
  EXPECT_EQ(metric_number(std::numeric_limits<double>::quiet_NaN()), "NaN");
}

}  // namespace
}  // namespace basalt::text
