#include "server/memory_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace basalt::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(MemoryGuard, IsTightAboveNineTenthsAndAmpleBelowALittleLess) {
  const uint64_t limit = 1'000'000;
  EXPECT_EQ(judge_memory(MemoryState::Ample, 890'000, limit), MemoryState::Ample);
  EXPECT_EQ(judge_memory(MemoryState::Ample, 910'000, limit), MemoryState::Tight);
  EXPECT_EQ(judge_memory(MemoryState::Tight, 870'000, limit), MemoryState::Tight);
  EXPECT_EQ(judge_memory(MemoryState::Tight, 840'000, limit), MemoryState::Ample);
  EXPECT_EQ(judge_memory(MemoryState::Tight, 1'000'000, 0), MemoryState::Ample);
  EXPECT_EQ(judge_memory(MemoryState::Ample, UINT64_MAX, UINT64_MAX), MemoryState::Tight);
}

TEST(MemoryGuard, ReadsWhatCgroupsSay) {
  EXPECT_EQ(parse_memory_limit("1073741824\n"), 1'073'741'824U);
  EXPECT_EQ(parse_memory_limit("max\n"), std::nullopt);
  EXPECT_EQ(parse_memory_limit(""), std::nullopt);
  EXPECT_EQ(parse_memory_limit("99999999999999999999"), std::nullopt);
}

TEST(MemoryGuard, KnowsThisMachine) {
  EXPECT_GT(memory_in_use(), uint64_t{1} << 20U);
  EXPECT_GT(memory_allowed(), memory_in_use());
}

TEST(MemoryGuard, TellsEachChangeOnce) {
  uint64_t used = 50;
  std::vector<std::string> lines;
  MemoryGuard guard({.limit = 10'000,
                     .used = [&used] { return used; },
                     .log = [&lines](bool, const std::string& line) { lines.push_back(line); }});
  for (const uint64_t next : {50U, 9'500U, 9'600U, 8'700U, 100U, 100U}) {
    used = next;
    guard.tick();
    EXPECT_EQ(guard.is_tight(), next > 8'000U) << next;
    EXPECT_EQ(guard.used(), next);
  }
  EXPECT_THAT(lines, ElementsAre(HasSubstr("memory is tight"), HasSubstr("memory is ample again")));
}

}  // namespace
}  // namespace basalt::server
