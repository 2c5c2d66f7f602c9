#include "control/node/local/pod_socket_rules.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "kube/net/ipv4.h"

namespace basalt::node {
namespace {

struct Named {
  sockaddr_storage name{};
  socklen_t size = 0;
};

Named four(const char* address, uint16_t port) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(port);
  EXPECT_EQ(::inet_pton(AF_INET, address, &name.sin_addr), 1);
  Named named{.size = sizeof name};
  std::memcpy(&named.name, &name, sizeof name);
  return named;
}

Named six(const char* address, uint16_t port) {
  sockaddr_in6 name{};
  name.sin6_family = AF_INET6;
  name.sin6_port = htons(port);
  name.sin6_scope_id = 7;
  EXPECT_EQ(::inet_pton(AF_INET6, address, &name.sin6_addr), 1);
  Named named{.size = sizeof name};
  std::memcpy(&named.name, &name, sizeof name);
  return named;
}

class PodSocketRules : public testing::Test {
 protected:
  [[nodiscard]] std::string bound(const Named& named, bool ipv6_only = false) const {
    const uint32_t address = bind_address(named_socket(named.name, named.size, addresses), ipv6_only, addresses);
    return address == 0 ? "as it says" : net::ipv4_text(address);
  }
  [[nodiscard]] std::string peers(const Named& named) const {
    std::string all;
    for (const uint32_t address : peer_addresses(named_socket(named.name, named.size, addresses), addresses)) {
      if (address != 0) all += net::ipv4_text(address) + " ";
    }
    return all.empty() ? "as it says" : all;
  }

  PodAddresses addresses = *pod_addresses(*net::parse_ipv4("127.65.3.4"));
  static constexpr const char* kPod = "127.65.3.4";
  static constexpr const char* kLoopback = "127.129.3.4";
  static constexpr const char* kLoopback6 = "127.161.3.4";
};

TEST_F(PodSocketRules, AddressesOfAPod) {
  EXPECT_EQ(net::ipv4_text(addresses.pod), kPod);
  EXPECT_EQ(net::ipv4_text(addresses.loopback), kLoopback);
  EXPECT_EQ(net::ipv4_text(addresses.loopback6), kLoopback6);
  for (const char* none : {"127.0.0.1", "127.63.255.255", "127.96.0.1", "128.64.0.1", "10.0.0.1"}) {
    EXPECT_FALSE(pod_addresses(*net::parse_ipv4(none))) << none;
  }
  EXPECT_TRUE(pod_addresses(*net::parse_ipv4("127.95.255.254")));
}

TEST_F(PodSocketRules, Binds) {
  EXPECT_EQ(bound(four("0.0.0.0", 80)), kPod);
  EXPECT_EQ(bound(four(kPod, 80)), kPod);
  EXPECT_EQ(bound(four("127.0.0.1", 80)), kLoopback);
  EXPECT_EQ(bound(six("::", 80)), kPod);
  EXPECT_EQ(bound(six("::", 80), true), kLoopback6);
  EXPECT_EQ(bound(six("::1", 80)), kLoopback6);
  EXPECT_EQ(bound(six("::1", 80), true), kLoopback6);
  EXPECT_EQ(bound(six("::ffff:0.0.0.0", 80)), kPod);
  EXPECT_EQ(bound(six("::ffff:127.0.0.1", 80)), kLoopback);
}

TEST_F(PodSocketRules, LeavesAloneWhatIsNotTheirs) {
  for (const char* other : {"127.0.0.2", "127.65.3.5", "127.96.0.1", "10.1.2.3", "192.168.0.1", "224.0.0.1"}) {
    EXPECT_EQ(bound(four(other, 80)), "as it says") << other;
    EXPECT_EQ(peers(four(other, 80)), "as it says") << other;
  }
  for (const char* other : {"fe80::1", "::2", "2001:db8::1", "::ffff:10.0.0.1", "1::", "0:1::", "::1:0:0"}) {
    EXPECT_EQ(bound(six(other, 80)), "as it says") << other;
    EXPECT_EQ(peers(six(other, 80)), "as it says") << other;
  }
  EXPECT_EQ(bound(six("::ffff:0.0.0.0", 80), true), "as it says") << "the kernel refuses it";
  EXPECT_EQ(peers(four(kPod, 80)), "as it says");
}

TEST_F(PodSocketRules, PortZeroIsTheKernels) {
  for (const char* any : {"0.0.0.0", "127.0.0.1", kPod}) EXPECT_EQ(bound(four(any, 0)), "as it says") << any;
  for (const char* any : {"::", "::1"}) EXPECT_EQ(bound(six(any, 0)), "as it says") << any;
  EXPECT_EQ(peers(four("127.0.0.1", 0)), "as it says");
}

TEST_F(PodSocketRules, PortsOfItsOwn) {
  EXPECT_TRUE(is_own({.all = true}, 80, IPPROTO_TCP));
  const DeclaredPort declared[] = {{.number = 53, .protocol = IPPROTO_UDP}, {.number = 80, .protocol = IPPROTO_TCP}};
  const PodPorts ports{.all = false, .declared = declared};
  EXPECT_TRUE(is_own(ports, 80, IPPROTO_TCP));
  EXPECT_TRUE(is_own(ports, 53, IPPROTO_UDP));
  EXPECT_FALSE(is_own(ports, 80, IPPROTO_UDP));
  EXPECT_FALSE(is_own(ports, 53, IPPROTO_TCP));
  for (const uint16_t other : {uint16_t{0}, uint16_t{79}, uint16_t{81}, uint16_t{UINT16_MAX}}) {
    EXPECT_FALSE(is_own(ports, other, IPPROTO_TCP)) << other;
  }
  EXPECT_FALSE(is_own({.all = false}, 80, IPPROTO_TCP));
}

TEST_F(PodSocketRules, Peers) {
  const std::string own = std::string(kLoopback) + " " + kPod + " ", own6 = std::string(kLoopback6) + " " + kPod + " ";
  EXPECT_EQ(peers(four("127.0.0.1", 80)), own);
  EXPECT_EQ(peers(four("0.0.0.0", 80)), own);
  EXPECT_EQ(peers(six("::ffff:127.0.0.1", 80)), own);
  EXPECT_EQ(peers(six("::1", 80)), own6);
  EXPECT_EQ(peers(six("::", 80)), own6);
}

TEST_F(PodSocketRules, OtherNamesAreOther) {
  Named named = four("0.0.0.0", 80);
  named.size = sizeof(sockaddr_in) - 1;
  EXPECT_EQ(bound(named), "as it says");
  named = six("::", 80);
  named.size = offsetof(sockaddr_in6, sin6_scope_id);
  EXPECT_EQ(bound(named), kPod) << "an old one, without a scope";
  named.size -= 1;
  EXPECT_EQ(bound(named), "as it says");
  named.name.ss_family = AF_UNIX;
  named.size = sizeof named.name;
  EXPECT_EQ(bound(named), "as it says");
  EXPECT_EQ(bound({}), "as it says");
}

TEST_F(PodSocketRules, TheRestOfANameStays) {
  Named named = four("0.0.0.0", 80);
  set_address(named.name, addresses.pod);
  const Named same = four(kPod, 80);
  EXPECT_EQ(std::memcmp(&named.name, &same.name, sizeof same.name), 0);
  named = six("::1", 80);
  set_address(named.name, addresses.loopback6);
  const Named same6 = six((std::string("::ffff:") + kLoopback6).c_str(), 80);
  EXPECT_EQ(std::memcmp(&named.name, &same6.name, sizeof same6.name), 0);
}

}  // namespace
}  // namespace basalt::node
