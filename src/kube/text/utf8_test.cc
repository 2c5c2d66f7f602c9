#include "kube/text/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace basalt::text {
namespace {

TEST(Utf8, CountsCharactersAndNotBytes) {
  EXPECT_EQ(character_count(""), 0U);
  EXPECT_EQ(character_count("plain"), 5U);
  EXPECT_EQ(character_count("4 × 8 …"), 7U);
}

TEST(Utf8, WhatIsCutOrTooLongIsNotUtf8) {
  EXPECT_TRUE(is_utf8("4 × 8 …"));
  EXPECT_FALSE(is_utf8("…x" + std::string("\xE2\x80")));
  EXPECT_FALSE(is_utf8("\xC0\x80"));
}

}  // namespace
}  // namespace basalt::text
