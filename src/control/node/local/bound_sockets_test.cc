#include "control/node/local/bound_sockets.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "control/node/local/descriptor.h"

namespace basalt::node {
namespace {

constexpr uint32_t kHere = 0x7FC0'0101, kThere = 0x7FC0'0102;  // 127.192.1.1 and .2: nobody else's

// At the address, on a port that the kernel chooses.
class BoundSocket {
 public:
  BoundSocket(int type, uint32_t address, bool mapped = false)
      : socket_(::socket(mapped ? AF_INET6 : AF_INET, type | SOCK_CLOEXEC, 0)) {
    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    six.sin6_addr.s6_addr[10] = six.sin6_addr.s6_addr[11] = 0xFF;
    reinterpret_cast<uint32_t*>(six.sin6_addr.s6_addr)[3] = htonl(address);
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_addr.s_addr = htonl(address);
    const auto* name = mapped ? reinterpret_cast<sockaddr*>(&six) : reinterpret_cast<sockaddr*>(&four);
    EXPECT_EQ(::bind(socket_.get(), name, mapped ? sizeof six : sizeof four), 0);
    socklen_t size = sizeof six;
    EXPECT_EQ(::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&six), &size), 0);
    port = ntohs(six.sin6_port);  // at the same place in both
  }
  void listen() const { EXPECT_EQ(::listen(socket_.get(), 1), 0); }

  uint16_t port = 0;

 private:
  Descriptor socket_;
};

TEST(BoundSockets, ListenersOfTcp) {
  const BoundSocket server(SOCK_STREAM, kHere);
  EXPECT_FALSE(is_bound(IPPROTO_TCP, kHere, server.port)) << "it does not listen yet";
  server.listen();
  EXPECT_TRUE(is_bound(IPPROTO_TCP, kHere, server.port));
  EXPECT_FALSE(is_bound(IPPROTO_TCP, kThere, server.port));
  EXPECT_FALSE(is_bound(IPPROTO_UDP, kHere, server.port));
}

TEST(BoundSockets, ThoseOfIpv6CountAsWell) {
  const BoundSocket server(SOCK_STREAM, kHere, true);
  server.listen();
  EXPECT_TRUE(is_bound(IPPROTO_TCP, kHere, server.port));
  EXPECT_FALSE(is_bound(IPPROTO_TCP, kThere, server.port));
  const BoundSocket datagrams(SOCK_DGRAM, kHere, true);
  EXPECT_TRUE(is_bound(IPPROTO_UDP, kHere, datagrams.port));
}

TEST(BoundSockets, OnesOfAllAddressesAreNotMeant) {
  const BoundSocket server(SOCK_STREAM, INADDR_ANY);
  server.listen();
  EXPECT_FALSE(is_bound(IPPROTO_TCP, kHere, server.port));
  const BoundSocket datagrams(SOCK_DGRAM, INADDR_ANY);
  EXPECT_FALSE(is_bound(IPPROTO_UDP, kHere, datagrams.port));
}

TEST(BoundSockets, Udp) {
  const BoundSocket server(SOCK_DGRAM, kHere);
  EXPECT_TRUE(is_bound(IPPROTO_UDP, kHere, server.port));
  EXPECT_FALSE(is_bound(IPPROTO_UDP, kThere, server.port));
  EXPECT_FALSE(is_bound(IPPROTO_TCP, kHere, server.port));
}

}  // namespace
}  // namespace basalt::node
