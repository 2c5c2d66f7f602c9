#include "base/rng.h"

#include <gtest/gtest.h>

#include <set>

namespace basalt {
namespace {

// Reference values of splitmix64 for seed 1234567: they fix the sequence on every machine.
TEST(Rng, IsSplitmix64) {
  Rng rng(1234567);
  EXPECT_EQ(rng.next(), 6457827717110365317ULL);
  EXPECT_EQ(rng.next(), 3203168211198807973ULL);
  EXPECT_EQ(rng.next(), 9817491932198370423ULL);
}

TEST(Rng, SameSeedSameSequence) {
  Rng a(42);
  Rng b(42);
  Rng c(43);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const uint64_t value = a.next();
    EXPECT_EQ(value, b.next());
    differs = differs || value != c.next();
  }
  EXPECT_TRUE(differs);
}

TEST(Rng, StaysInItsBoundsAndReachesThem) {
  Rng rng(1);
  std::set<int64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(rng.between(-2, 2));
  EXPECT_EQ(seen, (std::set<int64_t>{-2, -1, 0, 1, 2}));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(rng.below(1), 0U);
}

TEST(Rng, ChanceOfNothingAndOfAll) {
  Rng rng(1);
  int half = 0;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(rng.chance(0));
    EXPECT_TRUE(rng.chance(1));
    half += rng.chance(0.5) ? 1 : 0;
  }
  EXPECT_GT(half, 400);
  EXPECT_LT(half, 600);
}

}  // namespace
}  // namespace basalt
