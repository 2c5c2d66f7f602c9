#include "kube/net/server.h"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>
#include <vector>

#include "kube/net/net_fixture.h"

namespace basalt::net {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST_F(ServerTest, KeepsAConnectionForManyRequests) {
  start_echo();
  HttpClient one = client();
  for (int i = 0; i < 500; ++i) {
    const std::string number = std::to_string(i);
    const auto response = one.request(post("/n/" + number, "body " + number));
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->status, 200U);
    EXPECT_EQ(response->content_type, "application/json");
    EXPECT_EQ(response->body, "POST /n/" + number + " body " + number);
    EXPECT_FALSE(response->headers.get("Date").empty());
  }
  EXPECT_EQ(server->figures().accepted, 1U);
  EXPECT_EQ(server->figures().requests, 500U);
  EXPECT_EQ(server->figures().refused, 0U);
}

TEST_F(ServerTest, ServesManyConnectionsAtOnce) {
  start_echo();
  std::atomic<int> right{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 16; ++t) {
      threads.emplace_back([&, t] {
        HttpClient mine = client();
        for (int i = 0; i < 50; ++i) {
          const std::string body = std::to_string(t * 1000 + i);
          const auto response = mine.request(post("/", body));
          if (response && response->body == "POST / " + body) ++right;
        }
      });
    }
  }
  EXPECT_EQ(right, 16 * 50);
}

TEST_F(ServerTest, TakesAndGivesLargeBodies) {
  start_echo();
  std::string body(options.limits.body_bytes, 'x');
  for (size_t i = 0; i < body.size(); i += 1000) body[i] = static_cast<char>('a' + i / 1000 % 26);
  HttpClient one = client();
  for (int i = 0; i < 3; ++i) {
    const auto response = one.request(post("/", body));
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_TRUE(response->body == "POST / " + body);
  }
}

TEST_F(ServerTest, HandsOverHeadersAndQuery) {
  start([](const std::shared_ptr<HttpExchange>& exchange) {
    const HttpRequest& request = exchange->request();
    exchange->reply({.status = 201,
                     .content_type = "text/plain",
                     .body = request.target + "|" + std::string(request.headers.get("x-thing")),
                     .headers = {{{"X-Kept", "yes"}, {"X-Split", "a\r\nX-Evil: b"}, {"Bad name", "c"}}}});
  });
  HttpRequest request = get("/api?limit=5&x=%20");
  request.headers.list = {{"X-Thing", "a, b"}};
  const auto response = client().request(request);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 201U);
  EXPECT_EQ(response->content_type, "text/plain");
  EXPECT_EQ(response->body, "/api?limit=5&x=%20|a, b");
  EXPECT_EQ(response->headers.get("x-kept"), "yes");
  EXPECT_EQ(response->headers.get("x-split"), "") << "a line end in a value must not make a header";
  EXPECT_EQ(response->headers.get("x-evil"), "");
  EXPECT_EQ(response->headers.get("Bad name"), "");
}

TEST_F(ServerTest, AnswersFromAnotherThread) {
  std::vector<std::jthread> workers;
  start([&](std::shared_ptr<HttpExchange> exchange) {
    workers.emplace_back([exchange = std::move(exchange)] { exchange->reply({.body = "from afar"}); });
  });
  HttpClient one = client();
  for (int i = 0; i < 50; ++i) {
    const auto response = one.request(get("/"));
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->body, "from afar");
  }
}

TEST_F(ServerTest, DroppedExchangeIs500) {
  start([](const std::shared_ptr<HttpExchange>&) {});
  HttpClient one = client();
  for (int i = 0; i < 3; ++i) {  // the connection stays good
    const auto response = one.request(get("/"));
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->status, 500U);
    EXPECT_THAT(response->body, StartsWith("error 500: "));
  }
  EXPECT_EQ(server->figures().accepted, 1U);
}

TEST_F(ServerTest, HeadHasTheLengthButNoBody) {
  start([](const std::shared_ptr<HttpExchange>& exchange) { exchange->reply({.body = "12345"}); });
  const std::string answer = answer_to("HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("Content-Length: 5\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
}

TEST_F(ServerTest, NoContentHasNoBody) {
  start([](const std::shared_ptr<HttpExchange>& exchange) { exchange->reply({.status = 204, .body = "ignored"}); });
  const std::string answer = answer_to("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 204 No Content\r\n"));
  EXPECT_THAT(answer, Not(HasSubstr("Content-Length")));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
}

TEST_F(ServerTest, AnswersPipelinedRequestsInOrder) {
  start_echo();
  std::string requests;
  for (int i = 0; i < 200; ++i) requests += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n";
  requests += "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  const std::string answers = answer_to(requests);
  size_t at = 0;
  for (int i = 0; i < 200; ++i) {
    at = answers.find("GET /" + std::to_string(i) + " ", at);
    ASSERT_NE(at, std::string::npos) << i;
  }
  EXPECT_THAT(answers.substr(at), EndsWith("GET /last "));
}

TEST_F(ServerTest, TakesChunkedBodiesAndIgnoresTrailers) {
  start([](const std::shared_ptr<HttpExchange>& exchange) {
    exchange->reply({.body = exchange->request().body + "|" + std::string(exchange->request().headers.get("X-Late"))});
  });
  EXPECT_THAT(answer_to("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
                        "3\r\nabc\r\n4;ext=1\r\ndefg\r\n0\r\nX-Late: user\r\n\r\n"),
              EndsWith("\r\n\r\nabcdefg|"));
}

TEST_F(ServerTest, InvitesABodyThatWaits) {
  start_echo();
  ClientConnection link = raw();
  ASSERT_TRUE(
      link.send("POST /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n"
                "Expect: 100-continue\r\n\r\n",
                soon()));
  std::array<char, 256> chunk{};
  const auto got = link.receive(chunk, soon());
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(std::string(chunk.data(), *got), "HTTP/1.1 100 Continue\r\n\r\n");
  ASSERT_TRUE(link.send("ok", soon()));
  EXPECT_THAT(drain(link), EndsWith("\r\n\r\nPOST /x ok"));
}

TEST_F(ServerTest, OldClientsGetNoChunks) {
  start([](const std::shared_ptr<HttpExchange>& exchange) {
    auto stream = exchange->stream({});
    stream->write("plain", [stream](bool) { stream->finish(); });
  });
  const std::string answer = answer_to("GET / HTTP/1.0\r\n\r\n");
  EXPECT_THAT(answer, Not(HasSubstr("chunked")));
  EXPECT_THAT(answer, EndsWith("\r\n\r\nplain"));
}

TEST_F(ServerTest, SaysWhyItCannotListen) {
  start_echo();
  ServerOptions same = options;
  same.port = server->port();
  const auto second = Server::start(same, [](const std::shared_ptr<HttpExchange>&) {});
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("127.0.0.1:" + std::to_string(same.port)));
  EXPECT_THAT(second.error().message, HasSubstr("already in use"));

  ServerOptions named = options;
  named.address = "localhost";
  EXPECT_FALSE(Server::start(named, [](const std::shared_ptr<HttpExchange>&) {}));
  ServerOptions keyless = options;
  keyless.tls.key_pem = TestAuthority().server.key_pem;
  const auto third = Server::start(keyless, [](const std::shared_ptr<HttpExchange>&) {});
  ASSERT_FALSE(third);
  EXPECT_THAT(third.error().message, HasSubstr("key values mismatch"));
}

TEST_F(ServerTest, ListensOnIpv6) {
  options.address = "::1";
  start_echo();
  auto link = HttpClient::connect("::1", server->port(), trusting);
  ASSERT_TRUE(link) << link.error().message;
  EXPECT_EQ(must(link->request(get("/six"))).body, "GET /six ");
}

}  // namespace
}  // namespace basalt::net
