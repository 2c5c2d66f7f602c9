#include "kube/text/scalar.h"

#include <gtest/gtest.h>

namespace basalt::text {
namespace {

TEST(Scalar, BooleansAsGo) {
  for (const std::string_view text : {"1", "t", "T", "true", "True", "TRUE"}) EXPECT_TRUE(parse_bool(text).value());
  for (const std::string_view text : {"0", "f", "F", "false", "False", "FALSE"}) EXPECT_FALSE(parse_bool(text).value());
  for (const std::string_view text : {"", "yes", "tRUE", " true"}) EXPECT_FALSE(parse_bool(text)) << text;
}

TEST(Scalar, WholeNumbersAsAtoi) {
  EXPECT_EQ(parse_int("-9223372036854775808").value(), INT64_MIN);
  EXPECT_EQ(parse_int("+010").value(), 10);
  EXPECT_EQ(parse_int32("2147483647").value(), INT32_MAX);
  EXPECT_EQ(parse_int32("2147483648").error().message, "\"2147483648\" is out of range for a whole number of 32 bits");
  for (const std::string_view text : {"", "+", "-", "+-1", "1.0", "0x1", "1 ", "1_0"}) {
    EXPECT_FALSE(parse_int(text)) << text;
  }
}

TEST(Scalar, Fractions) {
  EXPECT_EQ(parse_double("+1.5e1").value(), 15);
  EXPECT_EQ(parse_double(".5").value(), 0.5);
  for (const std::string_view text : {"", "inf", "nan", "1e999", "1x", "e", "."})
    EXPECT_FALSE(parse_double(text)) << text;
}

}  // namespace
}  // namespace basalt::text
