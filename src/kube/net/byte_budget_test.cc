#include "kube/net/byte_budget.h"

#include <gtest/gtest.h>

namespace basalt::net {
namespace {

TEST(ByteBudget, AllSharesTogetherStayBelowTheLimit) {
  ByteBudget budget(100);
  ByteBudget::Share one(budget);
  EXPECT_TRUE(one.hold(60));
  {
    ByteBudget::Share other(budget);
    EXPECT_FALSE(other.hold(41));
    EXPECT_EQ(other.held(), 0U);
    EXPECT_TRUE(other.hold(40));
    EXPECT_FALSE(one.hold(61));
    EXPECT_EQ(one.held(), 60U);
    EXPECT_EQ(budget.taken(), 100U);
  }
  EXPECT_TRUE(one.hold(100));
  EXPECT_TRUE(one.hold(10));
  EXPECT_EQ(budget.taken(), 10U);
  one.release();
  EXPECT_EQ(budget.taken(), 0U);
}

TEST(ByteBudget, NoNumberWrapsAround) {
  ByteBudget budget(100);
  ByteBudget::Share one(budget), other(budget);
  EXPECT_TRUE(one.hold(1));
  EXPECT_FALSE(other.hold(SIZE_MAX));
  EXPECT_EQ(budget.taken(), 1U);
}

}  // namespace
}  // namespace basalt::net
