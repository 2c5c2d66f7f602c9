// The server goes away and comes back under a client that stays.
#include <gmock/gmock.h>

#include "tests/client/test_server.h"

namespace basalt::tests {
namespace {

using api::Verb;
using ::testing::AnyOf;

TEST(Outage, AServerThatStopsEndsAWatchAndCallsWorkAgainWhenItIsBack) {
  TestServer server;
  const auto client = server.client(ClientAccess::Token);
  ASSERT_TRUE(client->call(create_config_map("a", "1")));
  Received received;
  auto watch = client->watch(config_maps(Verb::Watch), received.function());
  EXPECT_EQ(received.next_line(), "ADDED a");
  server.stop();
  EXPECT_THAT(received.next_line(), AnyOf("ERROR 504 NoAnswer", "ERROR 504 WatchEnded"));
  const auto nobody = client->call(config_maps(Verb::Get, "a"));
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().reason, client::kReasonNotReached);
  server.start_again();
  EXPECT_TRUE(client->call(create_config_map("b", "1")));
  EXPECT_TRUE(received.empty());
}

TEST(Outage, OneCallAfterTheOtherUsesOneConnection) {
  TestServer server;
  const auto client = server.client(ClientAccess::Certificate);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(client->call(create_config_map("m" + std::to_string(i), "1")));
  EXPECT_EQ(server.figures().accepted, 1U);
  EXPECT_EQ(server.figures().requests, 20U);
}

TEST(Outage, AWrongTokenIsRefused) {
  TestServer server;
  client::RestConfig connection = server.connection();
  connection.identity.token = "wrong";
  const auto client = server.client(connection);
  const auto outcome = client->call(config_maps(Verb::List));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, 401);
  EXPECT_EQ(outcome.error().reason, "Unauthorized");
  Received received;
  const auto watch = client->watch(config_maps(Verb::Watch), received.function());
  EXPECT_EQ(received.next_line(), "ERROR 401 Unauthorized");
}

}  // namespace
}  // namespace basalt::tests
