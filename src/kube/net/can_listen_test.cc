#include "kube/net/can_listen.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace basalt::net {
namespace {

TEST(CanListen, TellsATakenPort) {
  const int taken = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(taken, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(taken, 1), 0);
  ASSERT_EQ(getsockname(taken, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const uint16_t port = ntohs(address.sin_port);
  const auto refused = can_listen("127.0.0.1", port);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("127.0.0.1 port " + std::to_string(port)), std::string::npos);
  close(taken);
  EXPECT_TRUE(can_listen("127.0.0.1", port).has_value());
}

TEST(CanListen, RefusesWhatIsNoAddress) {
  EXPECT_TRUE(can_listen("127.0.0.1", 0).has_value());
  EXPECT_FALSE(can_listen("no address", 1).has_value());
}

}  // namespace
}  // namespace basalt::net
