#include "kube/text/json.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace basalt::text {
namespace {

std::string error_of(std::string_view text) {
  const Result<Value> value = parse_json(text);
  return value ? "no error" : value.error().message;
}

TEST(Json, KeepsWholeNumbersAndFractionsApart) {
  const Value value = parse_json(R"({"a":5,"b":5.0,"c":18446744073709551615})").value();
  EXPECT_TRUE(value.at("a").is_int64());
  EXPECT_TRUE(value.at("b").is_double());
  EXPECT_TRUE(value.at("c").is_uint64());
  EXPECT_EQ(to_json(value), R"({"a":5,"b":5.0,"c":18446744073709551615})");
}

TEST(Json, PrintsInOrderOnOneLineOrIndented) {
  const Value value = parse_json(" {\"z\": [1, {}], \"a\": \"x\\n\\u0001\\\"\", \"e\": []}\n").value();
  EXPECT_EQ(to_json(value), "{\"z\":[1,{}],\"a\":\"x\\n\\u0001\\\"\",\"e\":[]}");
  EXPECT_EQ(to_pretty_json(value),
            "{\n  \"z\": [\n    1,\n    {}\n  ],\n  \"a\": \"x\\n\\u0001\\\"\",\n  \"e\": []\n}");
}

TEST(Json, DoublesReadBackAsTheSame) {
  for (const double number : {0.1, 1e300, -2.5e-9, 1.0 / 3, 123456789.0}) {
    EXPECT_EQ(parse_json(double_text(number)).value(), Value(number));
  }
  EXPECT_EQ(to_json(Value(std::numeric_limits<double>::infinity())), "null");
}

TEST(Json, ErrorsNameThePlace) {
  EXPECT_EQ(error_of("{\"a\": 1,\n \"b\" 2}").substr(0, 6), "line 2");
  EXPECT_EQ(error_of("{\"a\": 1"), "line 1, column 8: JSON ends too early");
  EXPECT_EQ(error_of("{} x"), "line 1, column 4: text after the JSON value: remove it");
  EXPECT_NE(error_of(""), "no error");
  EXPECT_NE(error_of("\"\xff\""), "no error");
}

TEST(Json, RefusesDeepNesting) {
  EXPECT_NE(error_of(std::string(1'000'000, '[')).find("nested deeper"), std::string::npos);
  EXPECT_EQ(error_of(std::string(kMaxJsonDepth, '[') + std::string(kMaxJsonDepth, ']')), "no error");
}

}  // namespace
}  // namespace basalt::text
