#include "base/strong_id.h"

#include <gtest/gtest.h>

#include <type_traits>
#include <unordered_set>

namespace basalt {
namespace {

using AppleId = StrongId<struct AppleTag>;
using PearId = StrongId<struct PearTag>;

static_assert(!std::is_convertible_v<uint32_t, AppleId>);
static_assert(!std::is_convertible_v<AppleId, PearId>);
static_assert(!std::is_constructible_v<PearId, AppleId>);
static_assert(sizeof(AppleId) == 4);

TEST(StrongId, IsNoneUnlessGiven) {
  EXPECT_FALSE(AppleId().valid());
  EXPECT_TRUE(AppleId(uint32_t{0}).valid());
  EXPECT_EQ(AppleId(size_t{7}).index(), 7U);
  EXPECT_LT(AppleId(uint32_t{1}), AppleId(uint32_t{2}));
  EXPECT_LT(AppleId(uint32_t{1}), AppleId());  // none sorts last
}

TEST(StrongId, Hashes) {
  const std::unordered_set<AppleId> set = {AppleId(uint32_t{1}), AppleId(uint32_t{1}), AppleId(uint32_t{2})};
  EXPECT_EQ(set.size(), 2U);
}

TEST(IdVector, GrowsToAnId) {
  IdVector<AppleId, int> rows;
  EXPECT_TRUE(rows.empty());
  rows.ensure(AppleId(uint32_t{3}), 9);
  EXPECT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[AppleId(uint32_t{0})], 9);
  rows.ensure(AppleId(uint32_t{1}), 5);  // never shrinks, never overwrites
  EXPECT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows.push_back(1), AppleId(uint32_t{4}));
  EXPECT_TRUE(rows.contains(AppleId(uint32_t{4})));
  EXPECT_FALSE(rows.contains(AppleId(uint32_t{5})));
  EXPECT_FALSE(rows.contains(AppleId()));
}

}  // namespace
}  // namespace basalt
