#include "control/scheduler/state/amount_words.h"

#include <gtest/gtest.h>

#include "control/scheduler/state/amount_conversion.h"

namespace basalt::state {
namespace {

using model::Amount;

std::string words(std::string_view name, std::string_view quantity) {
  const auto parsed = text::Quantity::parse(quantity);
  EXPECT_TRUE(parsed.has_value()) << quantity;
  return parsed ? amount_words(name, amount_of(name, *parsed)) : "";
}

TEST(AmountWords, AreForPeople) {
  EXPECT_EQ(amount_words("cpu", 3500), "3.5");
  EXPECT_EQ(amount_words("cpu", 1'234'567'000), "1234567");
  EXPECT_EQ(amount_words("memory", Amount{16} << 30U), "16Gi");
  EXPECT_EQ(amount_words("memory", 0), "0");
  EXPECT_EQ(amount_words("pods", 110), "110");
}

TEST(AmountWords, BytesHaveAUnitWhateverTheResource) {
  EXPECT_EQ(words("ephemeral-storage", "500Gi"), "500Gi");
  EXPECT_EQ(words("ephemeral-storage", "1Ti"), "1Ti");
  EXPECT_EQ(words("hugepages-2Mi", "64Mi"), "64Mi");
  EXPECT_EQ(words("hugepages-1Gi", "3Gi"), "3Gi");
  EXPECT_EQ(words("nvidia.com/gpu", "8"), "8");
}

// Amounts are cut (amount_conversion.h): what is said is not less than the truth.
TEST(AmountWords, WhatWasCutSaysSo) {
  EXPECT_EQ(words("ephemeral-storage", "900Ti"), "900Ti");
  EXPECT_EQ(words("ephemeral-storage", "1Ei"), "8Pi or more");
  EXPECT_EQ(words("memory", "900Pi"), "8Pi or more");
  EXPECT_EQ(words("nvidia.com/gpu", "1Ei"), "9007199254740 or more");
}

}  // namespace
}  // namespace basalt::state
