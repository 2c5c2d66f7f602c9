// Clients that ask too much, too slowly, or nonsense.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "kube/net/net_fixture.h"

namespace basalt::net {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class LimitsTest : public ServerTest {
 protected:
  // Sends bytes without TLS and returns what comes until the end.
  std::string answer_without_tls(std::string_view bytes) const {
    const int plain = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server->port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    std::string answer;
    if (::connect(plain, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      ::send(plain, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      std::array<char, 1024> chunk{};
      for (ssize_t got = 0; (got = ::recv(plain, chunk.data(), chunk.size(), 0)) > 0;) {
        answer.append(chunk.data(), static_cast<size_t>(got));
      }
    }
    ::close(plain);
    return answer;
  }
  void expect_still_serving() { EXPECT_EQ(must(client().request(get("/ok"))).body, "GET /ok "); }
};

TEST_F(LimitsTest, LongBodyIs413) {
  options.limits.body_bytes = 1000;
  start_echo();
  HttpClient one = client();
  EXPECT_EQ(must(one.request(post("/", std::string(1000, 'x')))).status, 200U);
  const auto response = one.request(post("/", std::string(1001, 'x')));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 413U);
  EXPECT_THAT(response->body, StartsWith("error 413: "));
  EXPECT_FALSE(one.is_connected());
  EXPECT_EQ(server->figures().requests, 1U);
}

TEST_F(LimitsTest, AClientThatStillSendsGetsToRead413) {
  options.limits.body_bytes = 1000;
  start_echo();
  const auto response = client().request(post("/", std::string(size_t{8} << 20U, 'x')));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 413U);
}

TEST_F(LimitsTest, LongChunkedBodyIs413) {
  options.limits.body_bytes = 10;
  start_echo();
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_THAT(answer_to(head + "8\r\n12345678\r\n8\r\n12345678\r\n0\r\n\r\n"), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(answer_to(head + "ffffffffffffffff\r\n"), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(answer_to(head + "ffffffffffffffffff\r\n"), StartsWith("HTTP/1.1 400 "));
  expect_still_serving();
}

TEST_F(LimitsTest, LongHeaderIs431) {
  options.limits.header_bytes = 1000;
  start_echo();
  EXPECT_THAT(answer_to("GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + std::string(2000, 'x') + "\r\n\r\n"),
              StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(answer_to("GET /" + std::string(2000, 'x') + " HTTP/1.1\r\n"), StartsWith("HTTP/1.1 431 "));
  EXPECT_EQ(server->figures().refused, 2U);
  expect_still_serving();
}

TEST_F(LimitsTest, HeaderLinesThatComeOneByOneAddUp) {
  options.limits.header_bytes = 1000;
  start_echo();
  ClientConnection link = raw();
  ASSERT_TRUE(link.send("GET / HTTP/1.1\r\n", soon()));
  for (int i = 0; i < 200 && link.send("X-Line: 1234567890\r\n", soon()); ++i) {
  }
  EXPECT_THAT(drain(link), StartsWith("HTTP/1.1 431 "));
}

TEST_F(LimitsTest, EndlessChunkExtensionIs431) {
  options.limits.header_bytes = 1000;
  start_echo();
  EXPECT_THAT(
      answer_to("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3;" + std::string(100'000, 'x')),
      StartsWith("HTTP/1.1 4"));
}

TEST_F(LimitsTest, SlowHeaderIs408) {
  options.limits.request_timeout = milliseconds(50);
  start_echo();
  EXPECT_THAT(answer_to("GET / HTT"), StartsWith("HTTP/1.1 408 "));
  EXPECT_THAT(answer_to("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc"), StartsWith("HTTP/1.1 408 "));
}

TEST_F(LimitsTest, SilentConnectionIsClosed) {
  options.limits.idle_timeout = milliseconds(50);
  start_echo();
  EXPECT_EQ(answer_to(""), "");
  // After a request too.
  ClientConnection link = raw();
  ASSERT_TRUE(link.send("GET /x HTTP/1.1\r\nHost: x\r\n\r\n", soon()));
  EXPECT_THAT(drain(link), HasSubstr("GET /x "));
}

TEST_F(LimitsTest, SilentHandshakeIsClosed) {
  options.limits.handshake_timeout = milliseconds(50);
  start_echo();
  EXPECT_EQ(answer_without_tls(""), "");
  EXPECT_EQ(server->figures().refused, 1U);
}

TEST_F(LimitsTest, GarbageInsteadOfTls) {
  start_echo();
  std::string noise;
  for (int i = 0; i < 5000; ++i) noise.push_back(static_cast<char>(i * 7919 % 251));
  answer_without_tls(noise);
  answer_without_tls(std::string("\x16\x03\x01\xff\xff", 5) + noise);
  EXPECT_THAT(answer_without_tls("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), HasSubstr("https://"));
  expect_still_serving();
}

TEST_F(LimitsTest, GarbageInsideTlsIs400) {
  start_echo();
  const std::vector<std::string> nonsense = {
      std::string("\0\1\2\3\r\n\r\n", 8),
      "GET /\r\n\r\n",
      "GET / HTTP/2.0\r\nHost: x\r\n\r\n",
      "GET / HTTP/1.1\nHost: x\n\n",
      "GET / HTTP/1.1\r\n\r\n",  // no Host
      "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n",
      "GET / HTTP/1.0\r\nHost: x\r\nHost: x\r\n\r\n",
      "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 1\r\n\r\nx",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\nx",
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "GET / HTTP/1.1\r\nHost : x\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
  };
  for (const std::string& bytes : nonsense) {
    EXPECT_THAT(answer_to(bytes), StartsWith("HTTP/1.1 400 ")) << bytes;
  }
  expect_still_serving();
}

TEST_F(LimitsTest, SmuggledRequestsNeverReachTheHandler) {
  start([](const std::shared_ptr<HttpExchange>& exchange) { exchange->reply({.body = exchange->request().target}); });
  const std::string hidden = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n";
  const std::vector<std::string> heads = {
      "Content-Length: 3\r\nContent-Length: 30\r\n",
      "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
      "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
      "Transfer-Encoding: xchunked\r\n",
      "Transfer-Encoding: gzip, chunked\r\n",
      "Transfer-Encoding: chunked, identity\r\n",
      "Transfer-Encoding : chunked\r\n",
      "Transfer-Encoding:\x0b"
      "chunked\r\n",
  };
  for (const std::string& head : heads) {
    const std::string answer = answer_to("POST / HTTP/1.1\r\nHost: x\r\n" + head + "\r\n0\r\n\r\n" + hidden);
    EXPECT_THAT(answer, Not(HasSubstr("/hidden"))) << head;
    EXPECT_THAT(answer, Not(StartsWith("HTTP/1.1 2"))) << head;
  }
  EXPECT_EQ(server->figures().requests, 0U);
}

TEST_F(LimitsTest, WhenAllAreAtWorkTheNextIs503) {
  options.limits.connections = 2;
  std::vector<std::shared_ptr<ResponseStream>> streams;
  std::promise<void> both;
  options.threads = 1;
  start([&](const std::shared_ptr<HttpExchange>& exchange) {
    streams.push_back(exchange->stream({}));
    if (streams.size() == 2) both.set_value();
  });
  ClientConnection first = raw(), second = raw();
  for (ClientConnection* link : {&first, &second}) ASSERT_TRUE(link->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n", soon()));
  await(both.get_future());
  HttpClient third = client();
  const auto response = third.request(get("/"));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 503U);
  EXPECT_EQ(response->headers.get("Retry-After"), "1");
  EXPECT_FALSE(third.is_connected());
}

}  // namespace
}  // namespace basalt::net
