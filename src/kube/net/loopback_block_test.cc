#include "kube/net/loopback_block.h"

#include <gtest/gtest.h>

#include <optional>

namespace basalt::net {
namespace {

TEST(LoopbackBlock, TwoClaimsNeverMeet) {
  auto first = LoopbackBlock::claim(31);
  ASSERT_TRUE(first.has_value()) << first.error().message;
  auto second = LoopbackBlock::claim(first->number());
  ASSERT_TRUE(second.has_value()) << second.error().message;
  EXPECT_NE(first->number(), second->number());
  EXPECT_NE(first->pods(), second->pods());
  EXPECT_NE(first->services(), second->services());
}

TEST(LoopbackBlock, IsFreeAgainWhenItsOwnerGoes) {
  std::optional<LoopbackBlock> first;
  {
    auto claimed = LoopbackBlock::claim(17);
    ASSERT_TRUE(claimed.has_value());
    first.emplace(std::move(*claimed));
  }
  const unsigned number = first->number();
  first.reset();
  auto again = LoopbackBlock::claim(number);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->number(), number);
}

TEST(LoopbackBlock, NamesItsNetworks) {
  auto block = LoopbackBlock::claim(40);  // beyond the last: counted on from the first
  ASSERT_TRUE(block.has_value());
  EXPECT_LT(block->number(), LoopbackBlock::kBlocks);
  EXPECT_EQ(block->pods(), "127." + std::to_string(64 + block->number()) + ".0.0");
}

}  // namespace
}  // namespace basalt::net
