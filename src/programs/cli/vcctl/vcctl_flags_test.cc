#include "programs/cli/vcctl/vcctl_flags.h"

#include <gtest/gtest.h>

#include <array>

namespace basalt::cli::vcctl {
namespace {

constexpr std::array kRows = {
    VcctlFlag{.name = "name", .letter = 'N', .help = "a name"},
    VcctlFlag{.name = "namespace", .letter = 'n', .value = "default"},
    VcctlFlag{.name = "all-namespaces", .kind = VcctlFlagKind::Switch},
    VcctlFlag{.name = "watch", .letter = 'w', .kind = VcctlFlagKind::Switch},
    VcctlFlag{.name = "min", .letter = 'm', .kind = VcctlFlagKind::Number, .value = "1"},
    VcctlFlag{.name = "v", .letter = 'v'},
};

std::string refusal(std::vector<std::string> words) {
  const auto flags = parse_flags(kRows, std::move(words));
  return flags ? "accepted" : flags.error().message;
}

std::string name_in(std::vector<std::string> words) {
  const auto flags = parse_flags(kRows, std::move(words));
  return flags ? flags->text("name") : flags.error().message;
}

TEST(VcctlFlags, DefaultsStandUntilSomethingIsGiven) {
  const auto flags = parse_flags(kRows, {});
  ASSERT_TRUE(flags.has_value());
  EXPECT_EQ(flags->text("namespace"), "default");
  EXPECT_EQ(flags->number("min"), 1);
  EXPECT_FALSE(flags->on("watch"));
  EXPECT_FALSE(flags->given("namespace"));
}

TEST(VcctlFlags, EverySpellingOfPflagIsUnderstood) {
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

TEST(VcctlFlags, SwitchesAndNumbers) {
  const auto flags = parse_flags(kRows, {"--all_namespaces", "-w=false", "-m", "-3", "--v=4"});
  ASSERT_TRUE(flags.has_value()) << flags.error().message;
  EXPECT_TRUE(flags->on("all-namespaces"));
  EXPECT_FALSE(flags->on("watch"));
  EXPECT_EQ(flags->number("min"), -3);
  EXPECT_EQ(flags->text("v"), "4");
}

TEST(VcctlFlags, OtherWordsAreArguments) {
  const auto flags = parse_flags(kRows, {"a", "-w", "b", "--", "--name", "c"});
  ASSERT_TRUE(flags.has_value()) << flags.error().message;
  EXPECT_EQ(flags->arguments(), (std::vector<std::string>{"a", "b", "--name", "c"}));
  EXPECT_FALSE(flags->given("name"));
}

TEST(VcctlFlags, RefusalsAreWordedAsInPflag) {
  EXPECT_EQ(refusal({"--nmae", "x"}), "unknown flag: --nmae");
  EXPECT_EQ(refusal({"--nmae=x"}), "unknown flag: --nmae");
  EXPECT_EQ(refusal({"-x"}), "unknown shorthand flag: 'x' in -x");
  EXPECT_EQ(refusal({"--name"}), "flag needs an argument: --name");
  EXPECT_EQ(refusal({"-m", "many"}),
            R"(invalid argument "many" for "-m, --min" flag: strconv.ParseInt: parsing "many": invalid syntax)");
  EXPECT_EQ(refusal({"-m", "99999999999"}),
            R"(invalid argument "99999999999" for "-m, --min" flag: strconv.ParseInt: parsing "99999999999": )"
            "value out of range");
  EXPECT_NE(refusal({"--watch=perhaps"}), "accepted");
}

TEST(VcctlFlags, HostileWordsAreOnlyErrors) {
  EXPECT_EQ(refusal({"-"}), "accepted");
  EXPECT_EQ(refusal({""}), "accepted");
  EXPECT_NE(refusal({"--="}), "accepted");
  EXPECT_NE(refusal({"---"}), "accepted");
  EXPECT_NE(refusal({"-\xff"}), "accepted");
  EXPECT_EQ(name_in({"--name", std::string(1 << 20, 'x')}).size(), size_t{1} << 20);
}

}  // namespace
}  // namespace basalt::cli::vcctl
