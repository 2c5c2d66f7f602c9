#include "kube/text/log_text.h"

#include <gtest/gtest.h>

#include "kube/text/utf8.h"

namespace basalt::text {
namespace {

TEST(LogText, IsOneLineWithoutCommands) {
  EXPECT_EQ(log_text("plain µ €", 100), "plain µ €");
  EXPECT_EQ(log_text("one\ntwo\r\x1b[31m\t", 100), "one\\ntwo\\x0d\\x1b[31m\\t");
  EXPECT_EQ(log_text("\xc2\x9b"
                     "31m\xc2\x85",
                     100),
            "\\u{009b}31m\\u{0085}");
  EXPECT_EQ(log_text("a\xe2\x80\xa8"
                     "b\xe2\x80\xae"
                     "c\xe2\x81\xa6",
                     100),
            "a\\u{2028}b\\u{202e}c\\u{2066}");
  EXPECT_EQ(log_text(std::string("a\0b", 3), 100), "a\\x00b");
  EXPECT_EQ(log_text("\xff\xfe\n", 100), "\\xff\\xfe\\n");
  EXPECT_EQ(log_text("C:\\dir", 100), "C:\\dir");
}

TEST(LogText, IsCutBetweenCharacters) {
  EXPECT_EQ(log_text("abc", 3), "abc");
  EXPECT_EQ(log_text("abcd", 3), "abc…");
  EXPECT_EQ(log_text("ab€", 3), "ab…");
  EXPECT_EQ(log_text("ab€", 4), "ab…");
  EXPECT_EQ(log_text("ab€", 5), "ab€");
  EXPECT_EQ(log_text("\xff\xff\xff\xff\xff", 4), "\\xff\\xff\\xff\\xff…");
  EXPECT_EQ(log_text("€", 0), "…");
}

TEST(LogText, EveryByteBecomesText) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string odd = "x" + std::string(1, static_cast<char>(byte)) + "y";
    for (const std::string& made : {log_text(odd, 10), log_value(odd, 10), cut_text(odd, 10)}) {
      EXPECT_TRUE(is_utf8(made)) << byte;
    }
    EXPECT_EQ(log_text(odd, 10).find_first_of(std::string("\0\n\r\x1b\x7f", 5)), std::string::npos) << byte;
  }
}

TEST(LogValue, NeverBeginsAnotherKey) {
  EXPECT_EQ(log_value("/api/v1/pods?watch=1&labelSelector=a%3Db", 100), "/api/v1/pods?watch=1&labelSelector=a%3Db");
  EXPECT_EQ(log_value("", 100), "\"\"");
  EXPECT_EQ(log_value("a b", 100), "\"a b\"");
  EXPECT_EQ(log_value("x\" status=200 user=\"root", 100), "\"x\\\" status=200 user=\\\"root\"");
  EXPECT_EQ(log_value("a\\", 100), "\"a\\\\\"");
  EXPECT_EQ(log_value("a\nb", 100), "\"a\\nb\"");
  EXPECT_EQ(log_value("abcdef", 3), "\"abc…\"");
}

}  // namespace
}  // namespace basalt::text
