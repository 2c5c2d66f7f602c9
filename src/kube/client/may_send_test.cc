// Writes that waited in the queue, or were turned away, and may not go out any more when their turn comes.
#include <gmock/gmock.h>

#include <atomic>
#include <future>

#include "kube/api/verbs.h"
#include "kube/client/client_fixture.h"
#include "kube/client/https_object_client_fixture.h"

namespace basalt::client {
namespace {

using api::Verb;

TEST(MaySend, IsAskedWhenACallHasWaited) {
  std::promise<void> first_is_there, go_on;
  std::future<void> may_go_on = go_on.get_future();
  RawServer server([&](RawServer& self, int socket, int) {
    for (bool first = true; !self.read_request(socket).empty(); first = false) {
      if (first) {
        first_is_there.set_value();
        may_go_on.wait();
      }
      RawServer::say(socket, RawServer::ok(R"({"kind":"Pod"})"));
    }
  });
  std::atomic<bool> leads = true;
  HttpsObjectClientOptions options{.max_connections = 1};
  options.may_send = [&leads](const api::Call& call) { return leads || !api::is_write(call.verb); };
  const auto client = plain_client(server, options);
  api::Call create = pods(Verb::Create);
  create.body = text::Object{};
  std::promise<std::string> sent, waited, read;
  client->send(create, [&](const ReplyOrError& outcome) { sent.set_value(short_of(outcome)); });
  net::await(first_is_there.get_future());
  // Behind it on the only connection: they were given to the client while it might still write.
  client->send(create, [&](const ReplyOrError& outcome) { waited.set_value(short_of(outcome)); });
  client->send(pods(Verb::Get, "p"), [&](const ReplyOrError& outcome) { read.set_value(short_of(outcome)); });
  leads = false;
  go_on.set_value();
  EXPECT_EQ(net::await(sent.get_future()), "fine");
  EXPECT_EQ(net::await(waited.get_future()), "503 NotReached");
  EXPECT_EQ(net::await(read.get_future()), "fine");
  EXPECT_EQ(server.requests(), 2);
}

}  // namespace
}  // namespace basalt::client
