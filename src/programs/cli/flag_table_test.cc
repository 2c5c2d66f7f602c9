#include "programs/cli/flag_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "programs/cli/flag_help.h"

namespace basalt::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::array kRows = {
    Flag{.name = "master"},
    Flag{.name = "leader-elect", .kind = FlagKind::Switch, .value = "true"},
    Flag{.name = "v", .kind = FlagKind::Number, .value = "0"},
    Flag{.name = "max-requeue-num", .kind = FlagKind::Integer, .value = "15"},
    Flag{.name = "kube-api-qps", .kind = FlagKind::Real, .value = "50"},
    Flag{.name = "schedule-period", .kind = FlagKind::Length, .value = "1s"},
    Flag{.name = "scheduler-name", .kind = FlagKind::List, .value = "volcano"},
    Flag{.name = "simulated-nodes", .kind = FlagKind::Texts},
    Flag{.name = "log-dir", .idle = "the log goes to standard error"},
};

Result<FlagValues> read(const std::vector<std::string>& words) {
  return FlagValues::read(kRows, words, FlagSpelling::Daemon);
}

std::string refusal(const std::vector<std::string>& words) {
  const auto flags = read(words);
  return flags ? "" : flags.error().message;
}

TEST(FlagTable, DefaultsStandWhereNothingIsGiven) {
  const auto flags = read({});
  ASSERT_TRUE(flags);
  EXPECT_TRUE(flags->on("leader-elect"));
  EXPECT_EQ(flags->number("max-requeue-num"), 15);
  EXPECT_EQ(flags->length("schedule-period"), Duration::seconds(1));
  EXPECT_THAT(flags->list("scheduler-name"), ElementsAre("volcano"));
  EXPECT_FALSE(flags->given("leader-elect"));
}

TEST(FlagTable, AnySpellingOfGoIsTaken) {
  const auto flags =
      read({"-v=4", "--leader-elect=false", "--schedule-period", "1m30s", "-log_dir=/x", "--master=a=b"});
  ASSERT_TRUE(flags) << flags.error().message;
  EXPECT_EQ(flags->number("v"), 4);
  EXPECT_FALSE(flags->on("leader-elect"));
  EXPECT_EQ(flags->length("schedule-period"), Duration::seconds(90));
  EXPECT_EQ(flags->text("master"), "a=b");
  EXPECT_THAT(flags->idle(), ElementsAre(HasSubstr("--log-dir changes nothing: the log goes to standard error")));
}

TEST(FlagTable, TheLastOneWinsAndListsAdd) {
  const auto flags =
      read({"--v=1", "--v=2", "--scheduler-name=a,b", "--scheduler-name", "c", "--simulated-nodes=2:cpu=1,name=x"});
  ASSERT_TRUE(flags);
  EXPECT_EQ(flags->number("v"), 2);
  EXPECT_THAT(flags->list("scheduler-name"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(flags->list("simulated-nodes"), ElementsAre("2:cpu=1,name=x"));
}

TEST(FlagTable, AListMayBeMadeEmpty) {
  const auto flags = read({"--scheduler-name="});
  ASSERT_TRUE(flags);
  EXPECT_THAT(flags->list("scheduler-name"), IsEmpty());
}

TEST(FlagTable, OtherWordsAreSkipped) {
  const auto flags = read({"--leader-elect", "2>&1", "-", "--"});
  ASSERT_TRUE(flags);
  EXPECT_THAT(flags->arguments(), ElementsAre("2>&1", "-", "--"));
}

TEST(FlagTable, RefusalsNameTheFlagAndTheRemedy) {
  EXPECT_EQ(refusal({"--v=many"}), "--v: \"many\" is not a whole number that is not negative, such as 100");
  EXPECT_THAT(refusal({"--v=-1"}), HasSubstr("--v"));
  EXPECT_EQ(refusal({"--max-requeue-num=-1"}), "");
  EXPECT_THAT(refusal({"--leader-elect=maybe"}), HasSubstr("--leader-elect: \"maybe\" is not true or false"));
  EXPECT_THAT(refusal({"--schedule-period=5"}), HasSubstr("such as 15s"));
  EXPECT_THAT(refusal({"--schedule-period=-5s"}), HasSubstr("not negative"));
  EXPECT_THAT(refusal({"--kube-api-qps=1e400"}), HasSubstr("--kube-api-qps"));
  EXPECT_THAT(refusal({"--master"}), HasSubstr("--master needs a text"));
  EXPECT_THAT(refusal({"--leader-elec"}), HasSubstr("did you mean --leader-elect?"));
  EXPECT_THAT(refusal({"--=x"}), HasSubstr("unknown flag"));
  EXPECT_THAT(refusal({"---"}), HasSubstr("unknown flag"));
}

TEST(FlagTable, TooManyWordsAreRefused) {
  EXPECT_THAT(refusal(std::vector<std::string>(kMaxFlagWords + 1, "x")), HasSubstr("too many"));
}

TEST(FlagTable, HelpNamesEveryFlagOnce) {
  const std::string help = grouped_flag_lines(kRows, 0);
  for (const Flag& row : kRows) EXPECT_THAT(help, HasSubstr("--" + std::string(row.name)));
  EXPECT_THAT(help, HasSubstr("without effect"));
}

}  // namespace
}  // namespace basalt::cli
