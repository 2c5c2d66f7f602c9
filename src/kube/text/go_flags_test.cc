#include "kube/text/go_flags.h"

#include <gtest/gtest.h>

#include <vector>

namespace basalt::text {
namespace {

struct Read {
  bool flag = false;
  int64_t port = 1;
  std::string name = "n";
  std::string warning;
};

Read read(std::vector<std::string_view> arguments) {
  Read out;
  const GoFlag flags[] = {{.name = "flag", .target = &out.flag},
                          {.name = "port", .target = &out.port},
                          {.name = "name", .target = &out.name}};
  out.warning = read_go_flags(arguments, flags);
  return out;
}

TEST(Flags, AllForms) {
  const Read got = read({"--flag", "-port=7", "--name", "x=y"});
  EXPECT_TRUE(got.flag);
  EXPECT_EQ(got.port, 7);
  EXPECT_EQ(got.name, "x=y");
  EXPECT_EQ(got.warning, "");
  EXPECT_EQ(read({"--name="}).name, "");
  EXPECT_FALSE(read({"--flag=F"}).flag);
  EXPECT_EQ(read({"--port", "-3"}).port, -3);
  EXPECT_EQ(read({"--port=0x1F"}).port, 31);
  EXPECT_EQ(read({"--port=010"}).port, 8);
  EXPECT_EQ(read({"--port=0"}).port, 0);
}

TEST(Flags, StopAtWhatIsNoFlag) {
  EXPECT_EQ(read({"word", "--port=7"}).port, 1);
  EXPECT_EQ(read({"--", "--port=7"}).port, 1);
  EXPECT_EQ(read({"-", "--port=7"}).warning, "");
  EXPECT_FALSE(read({"--flag", "false", "--port=7"}).port == 7);  // a bool takes no next argument
}

TEST(Flags, WhatWasReadBeforeAMistakeApplies) {
  const Read got = read({"--port=7", "--bogus", "--name=x"});
  EXPECT_EQ(got.port, 7);
  EXPECT_EQ(got.name, "n");
  EXPECT_EQ(got.warning, "flag provided but not defined: -bogus");
  EXPECT_EQ(read({"--port=x"}).warning, "invalid value \"x\" for flag -port: parse error");
  EXPECT_EQ(read({"--port=x"}).port, 1);
  EXPECT_EQ(read({"--port=99999999999999999999"}).port, 1);
  EXPECT_EQ(read({"--port=0x"}).port, 1);
  EXPECT_EQ(read({"--port=--5"}).port, 1);
  EXPECT_EQ(read({"--flag=maybe"}).warning, "invalid boolean value \"maybe\" for -flag: parse error");
  EXPECT_EQ(read({"--name"}).warning, "flag needs an argument: -name");
  EXPECT_EQ(read({"---name"}).warning, "bad flag syntax: ---name");
  EXPECT_EQ(read({"--=x"}).warning, "bad flag syntax: --=x");
}

}  // namespace
}  // namespace basalt::text
