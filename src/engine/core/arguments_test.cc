#include "engine/core/arguments.h"

#include <gtest/gtest.h>

namespace basalt::engine {
namespace {

const Arguments kArguments(ArgumentMap{
    {"int", {.value = int64_t{3}}},
    {"float", {.value = 2.5}},
    {"bool", {.value = true}},
    {"text", {.value = std::string("3")}},
    {"yes", {.value = std::string("True")}},
    {"null", {.value = std::monostate()}},
    {"list", {.value = ArgumentList{}}},
});

TEST(Arguments, AbsentAndNullGiveTheFallback) {
  EXPECT_EQ(kArguments.get_int("absent", 7), 7);
  EXPECT_EQ(kArguments.get_int("null", 7), 7);
  EXPECT_EQ(kArguments.get_float("null", 0.5), 0.5);
  EXPECT_EQ(kArguments.get_bool("absent", true), true);
  EXPECT_EQ(kArguments.get_string("absent", "x"), "x");
  EXPECT_EQ(kArguments.find("null"), nullptr);
}

TEST(Arguments, IntegersAreOnlyIntegers) {
  EXPECT_EQ(kArguments.get_int("int", 0), 3);
  for (const char* key : {"float", "bool", "text", "list"}) EXPECT_FALSE(kArguments.get_int(key, 0)) << key;
}

TEST(Arguments, FloatsMayBeIntegers) {
  EXPECT_EQ(kArguments.get_float("float", 0), 2.5);
  EXPECT_EQ(kArguments.get_float("int", 0), 3.0);
  for (const char* key : {"bool", "text", "list"}) EXPECT_FALSE(kArguments.get_float(key, 0)) << key;
}

TEST(Arguments, BoolsHaveGoSpellings) {
  EXPECT_EQ(kArguments.get_bool("bool", false), true);
  EXPECT_EQ(kArguments.get_bool("yes", false), true);
  for (const char* text : {"1", "t", "T", "TRUE", "true"}) {
    EXPECT_EQ(Arguments({{"b", {.value = std::string(text)}}}).get_bool("b", false), true) << text;
  }
  for (const char* text : {"0", "f", "F", "FALSE", "false", "False"}) {
    EXPECT_EQ(Arguments({{"b", {.value = std::string(text)}}}).get_bool("b", true), false) << text;
  }
  EXPECT_FALSE(Arguments({{"b", {.value = std::string("yes")}}}).get_bool("b", true));
  EXPECT_FALSE(kArguments.get_bool("int", false));
}

TEST(Arguments, AnErrorNamesKeyAndTypes) {
  const auto wrong = kArguments.get_int("text", 0);
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("arguments.text"), std::string::npos) << wrong.error().message;
  EXPECT_NE(wrong.error().message.find("an integer"), std::string::npos);
  EXPECT_NE(wrong.error().message.find("a string"), std::string::npos);
}

}  // namespace
}  // namespace basalt::engine
