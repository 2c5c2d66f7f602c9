#include "lab/life/life_player.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace basalt::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

lab::scenario::ScenarioResult play_text(std::string_view text, bool trace = false) {
  const auto script = lab::scenario::parse_script("demo.scn", text);
  EXPECT_TRUE(script.has_value()) << script.error().message;
  return script ? play_life(*script, trace) : lab::scenario::ScenarioResult();
}

constexpr std::string_view kJob = "life\njob j\ntask j w replicas=2\nsubmit j\n";

std::string error_of(std::string_view lines) {
  const auto played = play_text(std::string(kJob) + std::string(lines));
  return played.error ? played.error->message : "";
}

TEST(LifePlayer, ErrorsNameTheLineAndWhatToWrite) {
  EXPECT_THAT(error_of("frobnicate j\n"), HasSubstr("demo.scn:5: \"frobnicate\" is no statement; there are: job"));
  EXPECT_THAT(error_of("pod j-w-7 Running\n"), HasSubstr("demo.scn:5: pods \"j-w-7\" not found"));
  EXPECT_THAT(error_of("pod j-w-0 Jumping\n"), HasSubstr("there are: Pending Running"));
  EXPECT_THAT(error_of("submit k\n"), HasSubstr("write \"job k …\" above"));
  EXPECT_THAT(error_of("expect\n"), HasSubstr("write for example: expect phase j1 Running"));
  EXPECT_THAT(error_of("expect colour j blue\n"), HasSubstr("\"colour\" is nothing to expect; there are: phase"));
  EXPECT_THAT(error_of("expect phase j\n"), HasSubstr("names and values alternate"));
  EXPECT_THAT(error_of("expect gone cat tom\n"), HasSubstr("\"cat\" is no kind; there are: job"));
  EXPECT_THAT(error_of("after soon\n"), HasSubstr("demo.scn:5"));
  EXPECT_THAT(error_of("crash after lunch\n"), HasSubstr("crash after 3 writes"));
  EXPECT_THAT(error_of("task j w2 replcas=2\n"), HasSubstr("replcas"));
  EXPECT_THAT(error_of("scale j nobody 3\n"), HasSubstr("no task nobody"));
  EXPECT_THAT(error_of("apply\n"), HasSubstr("apply <<END"));
  EXPECT_THAT(play_text("life\n").error->message, HasSubstr("nothing happens"));
  EXPECT_THAT(play_text("life crash-nowhere\n").error->message, HasSubstr("life crash-anywhere"));
}

TEST(LifePlayer, TellsWhatDiffersAndRewritesOnlyThat) {
  const auto played = play_text(std::string(kJob) + "expect phase j Pending\nexpect pods j w-0   writes 99\n");
  ASSERT_FALSE(played.error) << played.error->message;
  ASSERT_EQ(played.failures.size(), 1U);
  EXPECT_EQ(played.failures[0].line, 4U);
  EXPECT_THAT(played.failures[0].differences[0], HasSubstr("got      pods j w-0 w-1"));
  ASSERT_EQ(played.rewritten.size(), 6U);
  EXPECT_EQ(played.rewritten[3], "submit j");
  EXPECT_THAT(played.rewritten[5], HasSubstr("pods j w-0 w-1"));
  std::string again;
  for (const std::string& line : played.rewritten) again += line + "\n";
  EXPECT_TRUE(play_text(again).passed());
}

TEST(LifePlayer, ARefusalHasToBeExpected) {
  const std::string_view lines = "life\njob j queue=nowhere\ntask j w\nsubmit j\n";
  const auto silent = play_text(lines);
  ASSERT_EQ(silent.failures.size(), 1U);
  EXPECT_THAT(silent.failures[0].differences, ElementsAre(HasSubstr("the server refused this")));
  EXPECT_TRUE(play_text(std::string(lines) + "expect refused \"unable to find job queue\"\n").passed());
}

TEST(LifePlayer, IsTheSameEveryTime) {
  const std::string text = std::string(kJob) + "pods j w Running\ncommand j RestartJob\nafter 10s\n";
  const std::string first = play_text(text, true).trace;
  EXPECT_EQ(first, play_text(text, true).trace);
  EXPECT_THAT(first, HasSubstr("create pod j-w-0"));
  EXPECT_THAT(first, HasSubstr("event j CommandIssued"));
}

TEST(LifePlayer, CrashesAnywhereWhereTheFileAsksForIt) {
  const auto played = play_text("life crash-anywhere\njob j\ntask j w\nsubmit j\nexpect pods j w-0   writes 1000\n");
  // The count of writes is wrong in the quiet run, so the others are not played.
  ASSERT_EQ(played.failures.size(), 1U);
  EXPECT_TRUE(
      play_text("life crash-anywhere\njob j\ntask j w\nsubmit j\nexpect pods j w-0   count podgroup 1\n").passed());
}

TEST(LifePlayer, TextBelowALineIsTakenAsItStands) {
  EXPECT_TRUE(play_text("life\napply <<END\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"
                        "data: {odd: \"# =no comment\"}\nEND\n"
                        "expect field configmap c .data.odd \"# =no comment\"\n")
                  .passed());
  EXPECT_FALSE(lab::scenario::parse_script("demo.scn", "life\napply <<END\nkind: X\n").has_value());
}

}  // namespace
}  // namespace basalt::lab
