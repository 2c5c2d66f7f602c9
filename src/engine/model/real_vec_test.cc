#include "engine/model/real_vec.h"

#include <gtest/gtest.h>

#include "engine/model/model_test_values.h"

namespace basalt::model {
namespace {

TEST(RealVec, AbsentIsNotZero) {
  RealVec vec = real(4, 8);
  EXPECT_FALSE(vec.has(kGpu));
  EXPECT_EQ(vec[kGpu], 0);
  RealVec zero = vec;
  zero.set(kGpu, 0);
  EXPECT_FALSE(vec == zero);
  EXPECT_TRUE(less_equal(vec, zero) && less_equal(zero, vec));
}

TEST(RealVec, CapByReadsAnAbsentLimitAsAsked) {
  RealVec open = real(4, 8);
  open.set(kGpu, 2);
  RealVec closed = open;
  open.cap_by(real(3, 9), Absent::Unlimited);
  closed.cap_by(real(3, 9), Absent::Nothing);
  EXPECT_EQ(open[kCpu], 3);
  EXPECT_EQ(open[kMemory], 8);
  EXPECT_EQ(open[kGpu], 2);
  EXPECT_EQ(closed[kGpu], 0);
  EXPECT_TRUE(closed.has(kGpu));
}

TEST(RealVec, ExceededPartKeepsOnlyWhatIsThere) {
  RealVec left = real(4, 8);
  left.set(kGpu, 2);
  RealVec right = real(5, 3);
  right.set(kGpu, 2);
  const RealVec rest = exceeded_part(left, right);
  EXPECT_EQ(rest[kCpu], 0);
  EXPECT_EQ(rest[kMemory], 5);
  EXPECT_FALSE(rest.has(kGpu));
}

TEST(RealVec, NearlyEqualIsEqual) {
  EXPECT_TRUE(less_equal(real(4.05, 8), real(4, 8)));
  EXPECT_FALSE(less_equal(real(4.2, 8), real(4, 8)));
}

TEST(RealVec, RoomIsAskedOnlyForWhatIsRequested) {
  const Demand request{{.id = kCpu, .amount = 2}, {.id = kPods, .amount = 1}};
  ResourceVec used;
  used.at(kCpu) = 2;
  used.at(kMemory) = 100;  // above its limit, but not requested
  EXPECT_TRUE(has_room(request, used, real(4, 8)));
  EXPECT_FALSE(has_room(request, used, real(3.99, 8)));  // exact: no eps
}

TEST(RealVec, SomeRoomIgnoresAbsentPods) {
  const Demand request{{.id = kCpu, .amount = 2}, {.id = kPods, .amount = 1}, {.id = kGpu, .amount = 1}};
  ResourceVec used;
  used.at(kCpu) = 3;
  EXPECT_FALSE(has_some_room(request, used, real(4, 8)));
  RealVec with_gpu = real(4, 8);
  with_gpu.set(kGpu, 1);
  EXPECT_TRUE(has_some_room(request, used, with_gpu));
}

TEST(RealVec, RelevantDimensions) {
  const Demand request{{.id = kCpu, .amount = 2}, {.id = kGpu, .amount = 1}};
  ResourceVec used;
  used.at(kCpu) = 4;
  used.at(kGpu) = 2;
  EXPECT_FALSE(exceeds_relevant(used, real(0, 8), request));  // 0 cpu says nothing, gpu is not listed
  RealVec listed = real(0, 8);
  listed.set(kGpu, 0);  // a listed 0 does
  EXPECT_TRUE(exceeds_relevant(used, listed, request));
}

}  // namespace
}  // namespace basalt::model
