// The client when the server is overloaded, when the network has gone, and when the program ends.
#include <gmock/gmock.h>

#include <future>
#include <mutex>

#include "kube/client/https_object_client_fixture.h"

namespace basalt::client {
namespace {

using api::Verb;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(std::string_view status, std::string_view headers = "") {
  return "HTTP/1.1 " + std::string(status) + "\r\nContent-Length: 0\r\n" + std::string(headers) + "\r\n";
}

std::string target_of(const std::string& request) { return request.substr(0, request.find(" HTTP")); }

TEST(HttpsObjectClient, ACallThatWasTurnedAwayIsSentAgainAndHoldsUpNobody) {
  std::mutex mutex;  // a socket between two threads is no order that a sanitizer sees
  std::vector<std::string> asked;
  RawServer server([&](RawServer& self, int socket, int) {
    for (std::string request; !(request = self.read_request(socket)).empty();) {
      bool first = false;
      {
        const std::lock_guard lock(mutex);
        asked.push_back(target_of(request));
        first = asked.size() == 1;
      }
      RawServer::say(
          socket, first ? refusal("429 Too Many Requests", "Retry-After: 1\r\n") : RawServer::ok(R"({"kind":"Pod"})"));
    }
  });
  const auto client = plain_client(server, {.max_connections = 1});
  std::promise<std::string> first, second;
  client->send(pods(Verb::Delete, "a"), [&](const ReplyOrError& outcome) { first.set_value(short_of(outcome)); });
  client->send(pods(Verb::Delete, "b"), [&](const ReplyOrError& outcome) { second.set_value(short_of(outcome)); });
  EXPECT_EQ(net::await(first.get_future()), "fine");
  EXPECT_EQ(net::await(second.get_future()), "fine");
  const std::lock_guard lock(mutex);
  EXPECT_THAT(asked, ElementsAre(HasSubstr("/a"), HasSubstr("/b"), HasSubstr("/a")));
}

TEST(HttpsObjectClient, RefusalsThatAreAnswersAreNotRepeated) {
  std::mutex mutex;
  std::string answer;
  RawServer server([&](RawServer& self, int socket, int) {
    while (!self.read_request(socket).empty()) {
      const std::lock_guard lock(mutex);
      RawServer::say(socket, answer);
    }
  });
  const auto client = plain_client(server, {.max_connections = 1});
  const auto asked = [&](std::string with, const api::Call& call) {
    {
      const std::lock_guard lock(mutex);
      answer = std::move(with);
    }
    const int before = server.requests();
    const ReplyOrError outcome = client->call(call);
    return std::to_string(outcome ? 0 : outcome.error().code) + " x" + std::to_string(server.requests() - before);
  };
  const api::Call call = pods(Verb::Delete, "a");
  EXPECT_EQ(asked(refusal("429 Too Many Requests"), call), "429 x1");
  EXPECT_EQ(asked(refusal("503 Service Unavailable"), call), "503 x1");
  EXPECT_EQ(asked(refusal("429 Too Many Requests", "Retry-After: 100000\r\n"), call), "429 x1");
  EXPECT_EQ(asked(refusal("500 Internal Server Error", "Retry-After: 1\r\n"), call), "500 x1");
  EXPECT_EQ(asked(refusal("504 Gateway Timeout", "Retry-After: 1\r\n"), call), "504 x1");
  api::Call eviction = pods(Verb::Create, "a");
  eviction.subresource = "eviction";
  eviction.body = text::Object{};
  EXPECT_EQ(asked(refusal("429 Too Many Requests", "Retry-After: 1\r\n"), eviction), "429 x1");
}

TEST(HttpsObjectClient, TheRateLimitHoldsBackAndLosesNothing) {
  RawServer server([](RawServer& self, int socket, int) {
    while (!self.read_request(socket).empty()) RawServer::say(socket, RawServer::ok(R"({"kind":"Pod"})"));
  });
  constexpr int kCalls = 20;
  const auto began = std::chrono::steady_clock::now();
  const auto client = plain_client(server, {.max_connections = 1, .qps = 200, .burst = 2});
  std::atomic<int> left = kCalls;
  std::promise<void> over;
  for (int i = 0; i < kCalls; ++i) {
    client->send(pods(Verb::Get, "a"), [&](const ReplyOrError& outcome) {
      EXPECT_TRUE(outcome);
      if (--left == 0) over.set_value();
    });
  }
  net::await(over.get_future());
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds((kCalls - 2) * 1000 / 200));
}

TEST(HttpsObjectClient, AClientThatIsClosedEndsEverythingAtOnce) {
  std::promise<void> asked;
  RawServer server([&](RawServer& self, int socket, int) {
    self.read_request(socket);
    asked.set_value();
    self.read_request(socket);  // until the client goes
  });
  const auto client = plain_client(server, {.max_connections = 1});
  std::promise<std::string> under_way, queued;
  client->send(pods(Verb::Delete, "a"), [&](const ReplyOrError& outcome) { under_way.set_value(short_of(outcome)); });
  client->send(pods(Verb::Delete, "b"), [&](const ReplyOrError& outcome) { queued.set_value(short_of(outcome)); });
  net::await(asked.get_future());
  client->close();
  EXPECT_EQ(net::await(queued.get_future()), "503 NotReached");
  EXPECT_EQ(net::await(under_way.get_future()), "504 NoAnswer");
  EXPECT_EQ(short_of(client->call(pods(Verb::Get, "c"))), "503 NotReached");
  client->close();
}

TEST(HttpsObjectClient, AWatchThatHearsNothingIsOver) {
  const std::string event = R"({"type":"ADDED","object":{"metadata":{"name":"a"}}})";
  RawServer server([&](RawServer& self, int socket, int) {
    self.read_request(socket);
    RawServer::say(socket, std::string(kChunked) + chunk(event + "\n"));
    self.read_request(socket);  // silent until the client goes
  });
  const auto client = plain_client(server, {.watch_quiet = std::chrono::milliseconds(20)});
  EXPECT_THAT(watched(*client, /*bookmarks=*/true), ElementsAre("event a", "504 WatchEnded"));
}

}  // namespace
}  // namespace basalt::client
