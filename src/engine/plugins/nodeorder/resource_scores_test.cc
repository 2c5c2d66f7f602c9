#include "engine/plugins/nodeorder/resource_scores.h"

#include <gtest/gtest.h>

#include "engine/plugins/nodeorder/scales.h"
#include "engine/plugins/plugin_fixture.h"

namespace basalt::plugins {
namespace {

constexpr int64_t kMi = int64_t{1} << 20U;

TEST(ResourceScores, LeastAndMostAverageTheDimensions) {
  const Load cpu{.allocatable = 8000, .requested = 1000, .pod = 1000};
  const Load memory{.allocatable = 16 * kGi, .requested = 0, .pod = kGi};
  EXPECT_EQ(least_requested(cpu, memory), 84);  // (6000·100/8000 = 75, 15·100/16 = 93) → 168 / 2
  EXPECT_EQ(most_requested(cpu, memory), 15);   // (25, 6) → 31 / 2
  const Load full{.allocatable = 1000, .requested = 900, .pod = 200};
  EXPECT_EQ(least_requested(full, {}), 0) << "over-committed";
  EXPECT_EQ(most_requested(full, {}), 100) << "the only dimension, at most 100";
  EXPECT_EQ(least_requested({}, {}), 0);
}

TEST(ResourceScores, BalanceIsTheChangeThePodMakes) {
  // Empty node, pod 2000/8000 cpu and 1/16 memory: std = (0.25 − 0.0625) / 2 = 0.09375 → int(90.6) = 90; 100 before.
  Loads loads{Load{.allocatable = 8000, .requested = 0, .pod = 2000},
              Load{.allocatable = 16 * kGi, .requested = 0, .pod = kGi}};
  EXPECT_EQ(balance_change(loads), 50 + (50 + 90 - 100) / 2);
  // A node that was tilted gets better: before |0.5 − 0| / 2 = 0.25 → 75, with the pod 0.5 and 0.5 → 100.
  loads = {Load{.allocatable = 8000, .requested = 4000, .pod = 0},
           Load{.allocatable = 16 * kGi, .requested = 0, .pod = 8 * kGi}};
  EXPECT_EQ(balance_change(loads), 50 + (50 + 100 - 75) / 2);
  // Three dimensions: fractions 0, 0, 0.5: mean 1/6, std = sqrt((2/36 + 1/9) / 3) = 0.2357 → 76.
  loads = {Load{.allocatable = 8000}, Load{.allocatable = 16 * kGi}, Load{.allocatable = 8000, .pod = 4000}};
  EXPECT_EQ(balance_change(loads), 50 + (50 + 76 - 100) / 2);
}

TEST(ResourceScores, ImagesScaleBetweenTheirThresholds) {
  EXPECT_EQ(image_locality(22 * kMi, 1), 0);
  EXPECT_EQ(image_locality(2000 * kMi, 1), 100);
  EXPECT_EQ(image_locality(500 * kMi, 1), 48);  // 100 · 477 / 977
  EXPECT_EQ(image_locality(500 * kMi, 2), 24);  // 100 · 477 / 1977
}

TEST(Scales, RoundAsKubernetes) {
  EXPECT_EQ(scale_to_max(1, 0, 3), 33);
  EXPECT_EQ(scale_to_max(0, 0, 0), 0);
  EXPECT_EQ(scale_reversed(1, 0, 3), 67);
  EXPECT_EQ(scale_reversed(0, 0, 0), 100);
  EXPECT_EQ(scale_between(-2, -5, 4), 33);  // 100 · 3/9
  EXPECT_EQ(scale_between(4, 4, 4), 0);
  EXPECT_EQ(scale_spread(3, 1, 4), 50);  // 100 · (4 + 1 − 3) / 4
  EXPECT_EQ(scale_spread(0, 0, 0), 100);
  EXPECT_EQ(scale_spread(engine::kIgnoredRaw, 0, 0), 0);
}

}  // namespace
}  // namespace basalt::plugins
