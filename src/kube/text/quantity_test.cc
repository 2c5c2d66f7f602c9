#include "kube/text/quantity.h"

#include <gtest/gtest.h>

#include <limits>

namespace basalt::text {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

Quantity q(std::string_view text) {
  const Result<Quantity> quantity = Quantity::parse(text);
  EXPECT_TRUE(quantity) << text;
  return quantity.value_or(Quantity());
}

TEST(Quantity, ReadsTheWholeGrammar) {
  struct Case {
    std::string_view text;
    int64_t value, milli;
    std::string_view canonical;
  };
  for (const auto& [text, value, milli, canonical] : {
           Case{"0", 0, 0, "0"},
           Case{"1", 1, 1000, "1"},
           Case{"100m", 1, 100, "100m"},
           Case{"0.5", 1, 500, "500m"},
           Case{".5", 1, 500, "500m"},
           Case{"5.", 5, 5000, "5"},
           Case{"+1.50", 2, 1500, "1500m"},
           Case{"2000", 2000, 2'000'000, "2k"},
           Case{"1k", 1000, 1'000'000, "1k"},
           Case{"1.5Gi", 1610612736, 1610612736000, "1536Mi"},
           Case{"1Ki", 1024, 1024000, "1Ki"},
           Case{"0.5Ki", 512, 512000, "512"},
           Case{"1000Ki", 1024000, 1024000000, "1000Ki"},
           Case{"0.1Ki", 103, 102400, "102400m"},
           Case{"1n", 1, 1, "1n"},
           Case{"1500u", 1, 2, "1500u"},
           Case{"1e3", 1000, 1'000'000, "1e3"},
           Case{"1E3", 1000, 1'000'000, "1e3"},
           Case{"1e-3", 1, 1, "1e-3"},
           Case{"12E+1", 120, 120'000, "120"},
           Case{"1E", 1'000'000'000'000'000'000, kMax, "1E"},
           Case{"-1.1", -2, -1100, "-1100m"},
           Case{"-100m", -1, -100, "-100m"},
           Case{"0.0000000001", 1, 1, "1n"},
           Case{"-0.0000000001", -1, -1, "-1n"},
           Case{"1e-1000000", 1, 1, "1e-9"},
           Case{"0e1000000", 0, 0, "0"},
           Case{"1e1000000", kMax, kMax, "9223372036854775807"},
           Case{"9223372036854775807", kMax, kMax, "9223372036854775807"},
           Case{"9223372036854775808", kMax, kMax, "9223372036854775807"},
           Case{"7Ei", int64_t{7} << 60, kMax, "7Ei"},
           Case{"8Ei", kMax, kMax, "9223372036854775807"},
           Case{"-8Ei", -kMax, std::numeric_limits<int64_t>::min(), "-9223372036854775807"},
           Case{"0.000000001Ei", 1152921505, 1152921504607, "1152921504606846976n"},
           Case{"000000000000000000000000000001", 1, 1000, "1"},
       }) {
    const Quantity quantity = q(text);
    EXPECT_EQ(quantity.value(), value) << text;
    EXPECT_EQ(quantity.milli_value(), milli) << text;
    EXPECT_EQ(quantity.to_string(), canonical) << text;
    EXPECT_EQ(q(quantity.to_string()), quantity) << text;
  }
}

TEST(Quantity, RefusesEverythingElse) {
  for (const std::string_view text : {"",    "-",     ".",     "1x",   "1 ",   " 1",  "1ki",   "1mi", "1K",  "1e",
                                      "1e+", "1e1.5", "1.2.3", "0x10", "1Kii", "--1", "1e3Ki", "Ki",  "nan", "1_000"}) {
    EXPECT_FALSE(Quantity::parse(text)) << text;
  }
  EXPECT_FALSE(Quantity::parse(std::string(kMaxQuantityBytes + 1, '1')));
  EXPECT_EQ(q(std::string(kMaxQuantityBytes, '1')).value(), kMax);
}

TEST(Quantity, AddsExactlyAndSaturates) {
  EXPECT_EQ((q("0.1") + q("0.2")).to_string(), "300m");
  EXPECT_EQ((q("1") - q("1500m")).to_string(), "-500m");
  EXPECT_EQ((q("7Ei") + q("7Ei")).value(), kMax);
  EXPECT_EQ((Quantity() + q("2Gi")).to_string(), "2Gi");
  EXPECT_LT(q("-1"), q("-0.5"));
  EXPECT_LT(q("999m"), q("1"));
  EXPECT_EQ(q("1Ki"), q("1024"));
}

TEST(Quantity, PrintsQueueStatus) {
  EXPECT_EQ(Quantity::from_milli(2500).to_string(), "2500m");
  EXPECT_EQ(Quantity::from_milli(2000).to_string(), "2");
  EXPECT_EQ(Quantity::from_units(int64_t{3} << 30, QuantityFormat::BinarySI).to_string(), "3Gi");
  EXPECT_EQ(Quantity::from_units(1000, QuantityFormat::BinarySI).to_string(), "1k");
  EXPECT_EQ(Quantity::from_milli(std::numeric_limits<int64_t>::min()).milli_value(),
            std::numeric_limits<int64_t>::min());
}

}  // namespace
}  // namespace basalt::text
