#include "programs/cli/follow/text_wrap.h"

#include <gmock/gmock.h>

namespace basalt::cli::follow {
namespace {

using ::testing::ElementsAre;

TEST(Wrap, BreaksAtBlanksAndIndents) {
  EXPECT_THAT(wrapped_lines("why    ", "needs 8 GPUs; queue dev holds 2 of 2", 24, 9),
              ElementsAre("why    needs 8 GPUs;", "       queue dev holds 2", "       of 2"));
  EXPECT_THAT(wrapped_lines("why    ", "short", 24, 9), ElementsAre("why    short"));
  EXPECT_THAT(wrapped_lines("why    ", "", 24, 9), ElementsAre("why    "));
}

TEST(Wrap, ALineThatFitsExactlyIsNotBroken) {
  EXPECT_THAT(wrapped_lines("", "0123456789", 10, 9), ElementsAre("0123456789"));
  EXPECT_THAT(wrapped_lines("", "0123456789 x", 10, 9), ElementsAre("0123456789", "x"));
}

TEST(Wrap, LongWordsAreBroken) {
  EXPECT_THAT(wrapped_lines("", "0123456789abcdef", 10, 9), ElementsAre("0123456789", "abcdef"));
}

TEST(Wrap, WhatDoesNotFitIsSaidToBeMissing) {
  EXPECT_THAT(wrapped_lines("", "one two three four five", 10, 2), ElementsAre("one two", "three fou…"));
  EXPECT_THAT(wrapped_lines("", "one two", 10, 1), ElementsAre("one two"));
}

TEST(Wrap, CountsCharactersAndNotBytes) {
  EXPECT_THAT(wrapped_lines("", "××××× ×××××", 8, 9), ElementsAre("×××××", "×××××"));
  EXPECT_THAT(wrapped_lines("", "××××××××××××", 10, 9), ElementsAre("××××××××××", "××"));
}

TEST(Wrap, AScreenTooNarrowGetsOneLine) {
  EXPECT_THAT(wrapped_lines("why    ", "needs 8 GPUs", 9, 9), ElementsAre("why    ne"));
}

}  // namespace
}  // namespace basalt::cli::follow
