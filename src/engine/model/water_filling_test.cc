#include "engine/model/water_filling.h"

#include <gtest/gtest.h>

#include "engine/model/model_test_values.h"

namespace basalt::model {
namespace {

Claim claim(int32_t weight, RealVec request, RealVec limit) {
  return {.weight = weight, .request = std::move(request), .limit = std::move(limit)};
}

TEST(WaterFilling, WhatOneLeavesGoesToTheOther) {
  // Round one: 10·1/2 = 5 each; A takes 2 and is met, 3 remain. Round two: B takes 5 + 3.
  std::vector<Claim> claims{claim(1, real(2), real(10)), claim(1, real(10), real(10))};
  fill_by_weight(real(10), claims);
  EXPECT_DOUBLE_EQ(claims[0].deserved[kCpu], 2);
  EXPECT_DOUBLE_EQ(claims[1].deserved[kCpu], 8);
}

TEST(WaterFilling, ByWeightWithinLimits) {
  // 12 by 1:3 is 3 and 9; B may have 6, so 3 come back to A.
  std::vector<Claim> claims{claim(1, real(20), real(12)), claim(3, real(20), real(6))};
  fill_by_weight(real(12), claims);
  EXPECT_DOUBLE_EQ(claims[0].deserved[kCpu], 6);
  EXPECT_DOUBLE_EQ(claims[1].deserved[kCpu], 6);
}

TEST(WaterFilling, GuaranteeIsKeptEvenUnrequested) {
  std::vector<Claim> claims{claim(1, real(1), real(10)), claim(1, real(10), real(6))};
  claims[0].guarantee = real(4);
  fill_by_weight(real(10), claims);
  EXPECT_DOUBLE_EQ(claims[0].deserved[kCpu], 4);
  EXPECT_DOUBLE_EQ(claims[1].deserved[kCpu], 6);
}

TEST(WaterFilling, ADimensionWithoutLimitIsUnlimitedOneWithoutRequestIsNothing) {
  RealVec whole = real(10);
  whole.set(kGpu, 8000);
  RealVec wants_gpu = real(4);
  wants_gpu.set(kGpu, 8000);
  std::vector<Claim> claims{claim(1, wants_gpu, real(10)), claim(1, real(10), real(10))};
  fill_by_weight(whole, claims);
  EXPECT_NEAR(claims[0].deserved[kGpu], 8000, kEps);
  EXPECT_EQ(claims[1].deserved[kGpu], 0);
}

TEST(WaterFilling, ZeroWeightGetsNothingAndEnds) {
  std::vector<Claim> claims{claim(0, real(10), real(10))};
  fill_by_weight(real(10), claims);
  EXPECT_EQ(claims[0].deserved[kCpu], 0);
}

}  // namespace
}  // namespace basalt::model
