#include "base/nearest_name.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace basalt {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"allocate", "backfill", "preempt"};

TEST(Nearest, FindsWhatWasMistyped) {
  EXPECT_EQ(nearest("allocat", kNames), "allocate");
  EXPECT_EQ(nearest("bakcfill", kNames), "backfill");
  constexpr std::array<std::string_view, 2> kShort = {"tiers", "actions"};
  EXPECT_EQ(nearest("tires", kShort), "tiers") << "two letters swapped";
}

TEST(Nearest, GuessesNothingFarAway) {
  EXPECT_EQ(nearest("enqueue", kNames), "");
  EXPECT_EQ(nearest("", kNames), "");
  EXPECT_EQ(nearest(std::string(100'000, 'a'), kNames), "");
}

}  // namespace
}  // namespace basalt
