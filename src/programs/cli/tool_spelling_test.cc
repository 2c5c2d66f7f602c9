// Volcano's tools read their command lines as pflag does.
#include <gtest/gtest.h>

#include <array>

#include "programs/cli/flag_table.h"

namespace basalt::cli {
namespace {

constexpr std::array kToolRows = {
    Flag{.name = "name", .letter = 'N', .help = "a name"},
    Flag{.name = "namespace", .letter = 'n', .value = "default"},
    Flag{.name = "all-namespaces", .kind = FlagKind::Switch},
    Flag{.name = "watch", .letter = 'w', .kind = FlagKind::Switch},
    Flag{.name = "min", .letter = 'm', .kind = FlagKind::Int32, .value = "1"},
    Flag{.name = "v", .letter = 'v'},
};

std::string tool_refusal(const std::vector<std::string>& words) {
  const auto flags = FlagValues::read(kToolRows, words, FlagSpelling::Tool);
  return flags ? "accepted" : flags.error().message;
}

std::string name_in(const std::vector<std::string>& words) {
  const auto flags = FlagValues::read(kToolRows, words, FlagSpelling::Tool);
  return flags ? flags->text("name") : flags.error().message;
}

TEST(ToolSpelling, DefaultsStandUntilSomethingIsGiven) {
  const auto flags = FlagValues::read(kToolRows, std::vector<std::string>{}, FlagSpelling::Tool);
  ASSERT_TRUE(flags.has_value());
  EXPECT_EQ(flags->text("namespace"), "default");
  EXPECT_EQ(flags->number("min"), 1);
  EXPECT_FALSE(flags->on("watch"));
  EXPECT_FALSE(flags->given("namespace"));
}

TEST(ToolSpelling, EverySpellingOfPflagIsUnderstood) {
  EXPECT_EQ(name_in({"--name", "x"}), "x");
  EXPECT_EQ(name_in({"--name=x"}), "x");
  EXPECT_EQ(name_in({"-N", "x"}), "x");
  EXPECT_EQ(name_in({"-Nx"}), "x");
  EXPECT_EQ(name_in({"-N=x"}), "x");
  EXPECT_EQ(name_in({"-wN", "x"}), "x");
  EXPECT_EQ(name_in({"--name", "x", "--name=y"}), "y");
  EXPECT_EQ(name_in({"--name=a=b"}), "a=b");
  EXPECT_EQ(name_in({"--name", "--watch"}), "--watch");
  EXPECT_EQ(name_in({"--name=x", "--name="}), "");
}

TEST(ToolSpelling, SwitchesAndNumbers) {
  const auto flags = FlagValues::read(
      kToolRows, std::vector<std::string>{"--all_namespaces", "-w=false", "-m", "-3", "--v=4"}, FlagSpelling::Tool);
  ASSERT_TRUE(flags.has_value()) << flags.error().message;
  EXPECT_TRUE(flags->on("all-namespaces"));
  EXPECT_FALSE(flags->on("watch"));
  EXPECT_EQ(flags->number("min"), -3);
  EXPECT_EQ(flags->text("v"), "4");
}

TEST(ToolSpelling, OtherWordsAreArguments) {
  const auto flags =
      FlagValues::read(kToolRows, std::vector<std::string>{"a", "-w", "b", "--", "--name", "c"}, FlagSpelling::Tool);
  ASSERT_TRUE(flags.has_value()) << flags.error().message;
  EXPECT_EQ(flags->arguments(), (std::vector<std::string>{"a", "b", "--name", "c"}));
  EXPECT_FALSE(flags->given("name"));
}

TEST(ToolSpelling, RefusalsAreWordedAsInPflag) {
  EXPECT_EQ(tool_refusal({"--nmae", "x"}), "unknown flag: --nmae");
  EXPECT_EQ(tool_refusal({"--nmae=x"}), "unknown flag: --nmae");
  EXPECT_EQ(tool_refusal({"-x"}), "unknown shorthand flag: 'x' in -x");
  EXPECT_EQ(tool_refusal({"--name"}), "flag needs an argument: --name");
  EXPECT_EQ(tool_refusal({"-m", "many"}),
            R"(invalid argument "many" for "-m, --min" flag: strconv.ParseInt: parsing "many": invalid syntax)");
  EXPECT_EQ(tool_refusal({"-m", "99999999999"}),
            R"(invalid argument "99999999999" for "-m, --min" flag: strconv.ParseInt: parsing "99999999999": )"
            "value out of range");
  EXPECT_NE(tool_refusal({"--watch=perhaps"}), "accepted");
}

TEST(ToolSpelling, HostileWordsAreOnlyErrors) {
  EXPECT_EQ(tool_refusal({"-"}), "accepted");
  EXPECT_EQ(tool_refusal({""}), "accepted");
  EXPECT_NE(tool_refusal({"--="}), "accepted");
  EXPECT_NE(tool_refusal({"---"}), "accepted");
  EXPECT_NE(tool_refusal({"-\xff"}), "accepted");
  EXPECT_EQ(name_in({"--name", std::string(1 << 20, 'x')}).size(), size_t{1} << 20);
}

}  // namespace
}  // namespace basalt::cli
