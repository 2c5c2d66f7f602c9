#include "kube/net/ipv4.h"

#include <gtest/gtest.h>

namespace basalt::net {
namespace {

TEST(Ipv4, ReadsWhatItPrints) {
  for (const char* text : {"0.0.0.0", "127.64.0.1", "10.9.8.7", "255.255.255.255"}) {
    const auto number = parse_ipv4(text);
    ASSERT_TRUE(number) << text;
    EXPECT_EQ(ipv4_text(*number), text);
  }
  EXPECT_EQ(parse_ipv4("127.64.0.1"), 0x7F400001U);
}

TEST(Ipv4, RefusesEverythingElse) {
  for (const std::string_view text :
       {std::string_view(), std::string_view("127"), std::string_view("1.2.3"), std::string_view("1.2.3.256"),
        std::string_view("1.2.3.4 "), std::string_view("::1"), std::string_view("1.2.3.4.5"),
        std::string_view("127.0.0.1\0x", 11), std::string_view("999999999999999999999999999999")}) {
    EXPECT_FALSE(parse_ipv4(text)) << text;
  }
}

TEST(Ipv4, KnowsLoopback) {
  EXPECT_TRUE(is_loopback("127.96.0.10"));
  EXPECT_FALSE(is_loopback("10.96.0.10"));
  EXPECT_FALSE(is_loopback("None"));
}

}  // namespace
}  // namespace basalt::net
