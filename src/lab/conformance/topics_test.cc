#include "lab/conformance/topics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace basalt::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Topics, AreTheFolderAndWhatCasesShare) {
  EXPECT_EQ(topic_of("/r/differential/gang-003.json"), "differential/gang");
  EXPECT_EQ(topic_of("differential2/life-12.json"), "differential2/life");
  EXPECT_EQ(topic_of("scheduler/plugins-capacity__Test_x__001_a.json"), "scheduler/plugins-capacity");
  EXPECT_EQ(topic_of("scheduler/queue-order.json"), "scheduler/queue-order");
  EXPECT_EQ(topic_of("gang-.json"), "gang-");
}

TEST(Topics, ARunBelowAFloorFails) {
  const auto floors = read_floors("# topic passed facts\na/x 3 30\na/y 2 20 # of 5\n\n");
  ASSERT_TRUE(floors.has_value()) << floors.error().message;
  const auto verdict = [&](const Tallies& tallies) { return compare_with_floors(tallies, *floors); };
  const Tally full{.passed = 3, .facts = 30, .equal_facts = 30};
  const Tally two{.passed = 2, .facts = 20, .equal_facts = 20};
  EXPECT_THAT(verdict({{"a/x", full}, {"a/y", two}}).below, IsEmpty());
  EXPECT_THAT(verdict({{"a/x", full}, {"a/y", two}}).above, IsEmpty());
  EXPECT_THAT(verdict({{"a/x", two}, {"a/y", two}}).below,
              ElementsAre("a/x: 2 cases passed with 20 equal facts, the floor is 3 and 30"));
  const Tally fewer_facts{.passed = 3, .facts = 12, .equal_facts = 12};
  EXPECT_EQ(verdict({{"a/x", fewer_facts}, {"a/y", two}}).below.size(), 1U) << "as many cases that compare less";
  EXPECT_THAT(verdict({{"a/x", full}}).below, ElementsAre("a/y: no case of it was run"));
  EXPECT_THAT(verdict({{"a/x", full}, {"a/y", two}, {"b/z", two}}).below,
              ElementsAre("b/z: it has no floor; add \"b/z 2 20\""));
  EXPECT_THAT(verdict({{"a/x", full}, {"a/y", full}}).above,
              ElementsAre("a/y: 3 cases passed with 30 equal facts, the floor is 2 and 20"));
}

TEST(Topics, AFloorFileIsReadStrictly) {
  for (const char* text : {"a 1", "a x 2", "a 1 2 3", "a -1 2", "a 1 2\na 1 2"}) {
    EXPECT_FALSE(read_floors(text).has_value()) << text;
  }
}

TEST(Topics, WhatIsNotCoveredIsToldLoudly) {
  const std::string text = topics_text(
      {{"d/volumes", {.not_covered = 17}}, {"d/gang", {.passed = 2, .not_covered = 1, .facts = 9, .equal_facts = 9}}});
  EXPECT_THAT(text, HasSubstr("*** NOT COVERED: 18 of 20 cases were not compared with Volcano.\n"));
  EXPECT_THAT(text, HasSubstr("*** Topics of which not one case was: d/volumes\n"));
  EXPECT_THAT(topics_text({{"d/gang", {.passed = 2}}}), testing::Not(HasSubstr("NOT COVERED")));
}

}  // namespace
}  // namespace basalt::lab
