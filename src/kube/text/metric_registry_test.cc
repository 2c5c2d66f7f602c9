#include "kube/text/metric_registry.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

namespace basalt::text {
namespace {

TEST(MetricRegistry, ThePageHasWhatWasDeclaredInThatOrder) {
  MetricRegistry registry;
  Gauge& open = registry.gauge("open", "Open files.");
  Counters& ended = registry.counters({"ended_total", "Lines by how they ended.", {"result", "file"}});
  registry.read_here([](std::string& out) { out += "# read\n"; });
  Histogram& took = registry.histogram("took", "How long.", {1, 10});
  open.add(3);
  open.add(-1);
  ended.at({"refused", "b"}).add(2);
  ended.at({"done", "say \"a\""}).add();
  took.observe(10);
  EXPECT_EQ(registry.text(),
            "# HELP open Open files.\n# TYPE open gauge\nopen 2\n"
            "# HELP ended_total Lines by how they ended.\n# TYPE ended_total counter\n"
            "ended_total{result=\"done\",file=\"say \\\"a\\\"\"} 1\nended_total{result=\"refused\",file=\"b\"} 2\n"
            "# read\n"
            "# HELP took How long.\n# TYPE took histogram\n"
            "took_bucket{le=\"1\"} 0\ntook_bucket{le=\"10\"} 1\ntook_bucket{le=\"+Inf\"} 1\ntook_sum 10\n"
            "took_count 1\n");
}

TEST(MetricFamily, SeriesOfKnownValuesAreThereFromTheStart) {
  constexpr std::array<std::string_view, 2> kResults = {"good", "bad"};
  MetricRegistry registry;
  registry.gauges({"g", "h", {"result"}}).with(kResults).at({"good"}).set(0.5);
  EXPECT_EQ(registry.text(), "# HELP g h\n# TYPE g gauge\ng{result=\"bad\"} 0\ng{result=\"good\"} 0.5\n");
}

TEST(MetricFamily, AFullOneCountsBeyondOrShowsNothing) {
  constexpr std::array<std::string_view, 1> kOther = {"other"};
  MetricRegistry registry;
  Counters& hidden = registry.counters({.name = "a", .help = "h", .labels = {"x"}, .most_series = 1});
  Counters& shown = registry.counters({.name = "b", .help = "h", .labels = {"x"}, .most_series = 1});
  for (const std::string_view value : {"1", "2", "3", "1"}) {
    hidden.at({value}).add();
    shown.at({&value, 1}, kOther).add();
  }
  EXPECT_EQ(registry.text(),
            "# HELP a h\n# TYPE a counter\na{x=\"1\"} 2\n"
            "# HELP b h\n# TYPE b counter\nb{x=\"1\"} 2\nb{x=\"other\"} 2\n");
}

TEST(MetricFamily, SeriesAreRemovedByTheirFirstLabels) {
  MetricRegistry registry;
  Counters& family = registry.counters({"c", "h", {"job", "queue"}});
  for (const std::string_view job : {"a", "ab", "a\"b"}) {
    for (const std::string_view queue : {"q", "r"}) family.at({job, queue}).add();
  }
  family.remove({"a"});
  family.remove({"ab", "q"});
  EXPECT_EQ(registry.text(),
            "# HELP c h\n# TYPE c counter\nc{job=\"a\\\"b\",queue=\"q\"} 1\nc{job=\"a\\\"b\",queue=\"r\"} 1\n"
            "c{job=\"ab\",queue=\"r\"} 1\n");
}

TEST(MetricFamily, ThreadsDoNotLoseCounts) {
  MetricRegistry registry;
  Counters& family = registry.counters({"c", "h", {"x"}});
  const auto count = [&family] {
    for (int i = 0; i < 1000; ++i) family.at({std::to_string(i % 7)}).add();
  };
  std::thread first(count), second(count);
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(registry.text().empty());
  first.join();
  second.join();
  double total = 0;
  for (int i = 0; i < 7; ++i) total += family.at({std::to_string(i)}).value();
  EXPECT_EQ(total, 2000);
}

TEST(Histogram, BoundsAreThoseOfPrometheus) {
  const std::vector<double> bounds = exponential_bounds(1, 5000, 20);
  ASSERT_EQ(bounds.size(), 20U);
  EXPECT_EQ(bounds.front(), 1);
  EXPECT_NEAR(bounds[1], 1.5656065579430964, 1e-12);
  EXPECT_NEAR(bounds[10], 88.47617074509654, 1e-10);
  EXPECT_NEAR(bounds.back(), 5000, 1e-8);
}

TEST(Histogram, CountsIntoTheRightBucket) {
  Histogram histogram({1, 10});
  histogram.observe_ms(Duration::millis(1));  // a bound belongs to its bucket
  histogram.observe_ms(Duration::millis(5));
  histogram.observe_ms(Duration::millis(50));
  histogram.observe_ms({-5});
  std::string out;
  histogram.append(out, "h", "");
  EXPECT_EQ(out, "h_bucket{le=\"1\"} 2\nh_bucket{le=\"10\"} 3\nh_bucket{le=\"+Inf\"} 4\nh_sum 56\nh_count 4\n");
}

}  // namespace
}  // namespace basalt::text
