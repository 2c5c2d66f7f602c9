#include "text/nearest.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace basalt::text {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"allocate", "backfill", "preempt"};

TEST(Nearest, FindsWhatWasMistyped) {
  EXPECT_EQ(nearest("allocat", kNames), "allocate");
  EXPECT_EQ(nearest("bakcfill", kNames), "backfill");
}

TEST(Nearest, GuessesNothingFarAway) {
  EXPECT_EQ(nearest("enqueue", kNames), "");
  EXPECT_EQ(nearest("", kNames), "");
  EXPECT_EQ(nearest(std::string(100'000, 'a'), kNames), "");
}

}  // namespace
}  // namespace basalt::text
