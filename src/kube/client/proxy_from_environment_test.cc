#include "kube/client/proxy_from_environment.h"

#include <gtest/gtest.h>

namespace basalt::client {
namespace {

TEST(ProxyChoice, NoProxyNamesHostsNetworksAndPorts) {
  EXPECT_TRUE(is_exempt("", "localhost", 443));
  EXPECT_TRUE(is_exempt("", "127.9.9.9", 443));
  EXPECT_TRUE(is_exempt("", "::1", 443));
  EXPECT_FALSE(is_exempt("", "example.org", 443));
  EXPECT_TRUE(is_exempt("*", "example.org", 443));
  EXPECT_TRUE(is_exempt("example.org", "example.org", 443));
  EXPECT_TRUE(is_exempt("Example.org", "api.EXAMPLE.org", 443));
  EXPECT_FALSE(is_exempt("example.org", "badexample.org", 443));
  EXPECT_FALSE(is_exempt(".example.org", "example.org", 443));
  EXPECT_TRUE(is_exempt("*.example.org", "a.example.org", 443));
  EXPECT_TRUE(is_exempt("a,10.0.0.0/8 ,b", "10.200.1.1", 443));
  EXPECT_FALSE(is_exempt("10.0.0.0/8", "11.0.0.1", 443));
  EXPECT_FALSE(is_exempt("10.0.0.0/99,/8,10.0.0.0/", "10.0.0.1", 443));
  EXPECT_TRUE(is_exempt("fd00::/16", "fd00::5", 443));
  EXPECT_TRUE(is_exempt("example.org:6443", "example.org", 6443));
  EXPECT_FALSE(is_exempt("example.org:6443", "example.org", 443));
}

TEST(ServerUrl, IsReadOrRefused) {
  const auto url = [](std::string_view text) { return parse_server(text) ? parse_server(text)->url() : "refused"; };
  EXPECT_EQ(url("https://a.b"), "https://a.b:443");
  EXPECT_EQ(url("https://[::1]:6443/k8s/c1/"), "https://[::1]:6443/k8s/c1");
  EXPECT_EQ(url("1.2.3.4:8080"), "http://1.2.3.4:8080");
  for (const char* text : {"", "https://", "https://a:0", "https://a:99999", "https://a:x", "https://u@a", "ftp://a",
                           "https://::1", "https://[::1", "https://a b", "https://a/\xFF", "https://a\r\n"}) {
    EXPECT_EQ(url(text), "refused") << text;
  }
}

}  // namespace
}  // namespace basalt::client
