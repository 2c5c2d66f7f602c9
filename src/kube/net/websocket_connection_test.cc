// Upgraded connections, through a real server.
#include "kube/net/websocket_connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "kube/net/net_fixture.h"

namespace basalt::net {
namespace {

constexpr std::array<std::string_view, 1> kEcho = {"echo"};
constexpr std::string_view kHandshake =
    "GET /echo HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: echo\r\n\r\n";

std::string frame(WebSocketOp op, std::string_view payload) {
  std::string out;
  append_frame(out, op, payload, 0x12345678U);
  return out;
}

// A client that has shaken hands.
class Client {
 public:
  Client(ClientConnection link, std::string_view ahead = "") : link_(std::move(link)) {
    send(std::string(kHandshake) + std::string(ahead));
    std::string head;
    while (head.find("\r\n\r\n") == std::string::npos) head += receive();
    const size_t end = head.find("\r\n\r\n") + 4;
    head_ = head.substr(0, end);
    take(std::string_view(head).substr(end));
  }

  void send(std::string_view bytes) { EXPECT_TRUE(link_.send(bytes, deadline())); }
  // The next message; Close with "gone": the connection has ended.
  WebSocketMessage next() {
    while (messages_.empty()) {
      const std::string more = receive();
      if (more.empty()) return {.op = WebSocketOp::Close, .payload = "gone"};
      take(more);
    }
    WebSocketMessage message = std::move(messages_.front());
    messages_.erase(messages_.begin());
    return message;
  }
  [[nodiscard]] const std::string& head() const { return head_; }

 private:
  static ClientConnection::Deadline deadline() { return std::chrono::steady_clock::now() + kTestTimeout; }
  std::string receive() {
    std::array<char, 16384> chunk{};
    const auto got = link_.receive(chunk, deadline());
    return got ? std::string(chunk.data(), *got) : "";
  }
  void take(std::string_view bytes) {
    auto fed = parser_.feed(bytes);
    EXPECT_FALSE(fed.fault);
    for (WebSocketMessage& message : fed.messages) messages_.push_back(std::move(message));
  }

  ClientConnection link_;
  std::string head_;
  WebSocketParser parser_{WebSocketParser::From::Server};
  std::vector<WebSocketMessage> messages_;
};

class WebSocketLinkTest : public ServerTest {
 protected:
  // Sends back what it gets; "bye" ends it.
  void start_echoing() {
    start([this](const std::shared_ptr<HttpExchange>& exchange) {
      auto head = accept_websocket(exchange->request(), kEcho);
      if (!head) return exchange->reply({.status = 400, .body = head.error().message});
      auto link = std::make_shared<WebSocketConnection>(exchange->upgrade(std::move(*head)));
      link->start({.message =
                       [link](const WebSocketMessage& message) {
                         if (message.payload == "bye") return link->close(kCloseNormal, "bye");
                         (void)link->send(message.payload);
                       },
                   .room = [] {},
                   .closed = [this] { ++closed; }});
    });
  }
  Client connect(std::string_view ahead = "") { return {raw(), ahead}; }

  std::atomic<int> closed{0};
};

TEST_F(WebSocketLinkTest, MessagesGoBothWaysAlsoThoseBehindTheHandshake) {
  start_echoing();
  Client client = connect(frame(WebSocketOp::Binary, "early"));
  EXPECT_THAT(client.head(), testing::StartsWith("HTTP/1.1 101 Switching Protocols\r\n"));
  EXPECT_THAT(client.head(), testing::Not(testing::HasSubstr("Content-Length")));
  EXPECT_THAT(client.head(), testing::Not(testing::HasSubstr("Connection: close")));
  EXPECT_EQ(client.next().payload, "early");
  const std::string large(kMaxWebSocketMessage, 'x');
  client.send(frame(WebSocketOp::Binary, large));
  EXPECT_EQ(client.next().payload, large);
  client.send(frame(WebSocketOp::Ping, "there?"));
  const WebSocketMessage pong = client.next();
  EXPECT_EQ(pong.op, WebSocketOp::Pong);
  EXPECT_EQ(pong.payload, "there?");
}

TEST_F(WebSocketLinkTest, EitherSideEndsItInGoodOrder) {
  start_echoing();
  Client first = connect();
  first.send(frame(WebSocketOp::Binary, "bye"));
  EXPECT_EQ(first.next().payload, close_payload(kCloseNormal, "bye"));
  first.send(frame(WebSocketOp::Close, close_payload(kCloseNormal, "")));
  EXPECT_EQ(first.next().payload, "gone");
  EXPECT_EQ(closed, 0);  // nobody hears of an end that is his own
  Client second = connect();
  second.send(frame(WebSocketOp::Close, ""));
  EXPECT_EQ(second.next().op, WebSocketOp::Close);
  EXPECT_EQ(second.next().payload, "gone");
  EXPECT_EQ(closed, 1);
}

TEST_F(WebSocketLinkTest, AFaultIsToldAndCut) {
  start_echoing();
  Client client = connect();
  client.send("\xF2\x80");
  const WebSocketMessage last = client.next();
  EXPECT_EQ(last.op, WebSocketOp::Close);
  EXPECT_THAT(last.payload, testing::StartsWith(std::string(close_payload(kCloseProtocolError, ""))));
  EXPECT_EQ(client.next().payload, "gone");
  EXPECT_EQ(closed, 1);
}

TEST_F(WebSocketLinkTest, AHangUpAndAStopAreHeard) {
  start_echoing();
  {
    const Client gone = connect();
  }
  Client stays = connect();
  stays.send(frame(WebSocketOp::Binary, "x"));
  EXPECT_EQ(stays.next().payload, "x");
  server->stop(std::chrono::seconds(5));
  EXPECT_EQ(closed, 2);
  EXPECT_EQ(stays.next().payload, "gone");
}

TEST_F(WebSocketLinkTest, ManyPingsWithoutAReaderFillNothing) {
  start_echoing();
  Client client = connect();
  std::string pings;
  for (int i = 0; i < 1000; ++i) pings += frame(WebSocketOp::Ping, std::string(kMaxWebSocketControl, 'p'));
  for (int i = 0; i < 50; ++i) client.send(pings);
  client.send(frame(WebSocketOp::Binary, "still there"));
  WebSocketMessage message;
  do message = client.next();
  while (message.op == WebSocketOp::Pong);
  EXPECT_EQ(message.payload, "still there");
}

// The sender is told when to stop; what the reader does not take waits there.
TEST_F(WebSocketLinkTest, AFullOutboxWaitsForTheReader) {
  constexpr int kMessages = 2000;
  const std::string piece(16 * 1024, 'x');
  std::atomic<int> fulls{0};
  start([&](const std::shared_ptr<HttpExchange>& exchange) {
    auto link =
        std::make_shared<WebSocketConnection>(exchange->upgrade(must(accept_websocket(exchange->request(), kEcho))));
    auto left = std::make_shared<std::atomic<int>>(kMessages);
    const auto go_on = [&, link, left] {
      while (*left > 0) {
        --*left;
        if (link->send(piece) == WebSocketConnection::SendResult::Full) {
          ++fulls;
          return;
        }
      }
      link->close(kCloseNormal, "");
    };
    link->start({.message = [go_on](const WebSocketMessage&) { go_on(); }, .room = go_on, .closed = [] {}});
  });
  Client client = connect(frame(WebSocketOp::Binary, "go"));
  for (int i = 0; i < kMessages; ++i) ASSERT_EQ(client.next().payload.size(), piece.size());
  EXPECT_EQ(client.next().op, WebSocketOp::Close);
  EXPECT_GT(fulls, 0);
}

TEST_F(WebSocketLinkTest, WhileHeldNothingIsReadAndAfterwardsAll) {
  std::promise<std::shared_ptr<WebSocketConnection>> made;
  std::atomic<int> heard{0};
  start([&](const std::shared_ptr<HttpExchange>& exchange) {
    auto link =
        std::make_shared<WebSocketConnection>(exchange->upgrade(must(accept_websocket(exchange->request(), kEcho))));
    link->start({.message =
                     [&heard, link](const WebSocketMessage& message) {
                       if (heard++ == 0) link->hold(true);
                       (void)link->send(message.payload);
                     },
                 .room = [] {},
                 .closed = [] {}});
    made.set_value(link);
  });
  Client client = connect(frame(WebSocketOp::Binary, "1"));
  const auto link = await(made.get_future());
  EXPECT_EQ(client.next().payload, "1");
  client.send(frame(WebSocketOp::Binary, "2"));
  EXPECT_EQ(heard, 1);
  link->hold(false);
  EXPECT_EQ(client.next().payload, "2");
}

TEST_F(WebSocketLinkTest, AnOldClientIsRefused) {
  start_echoing();
  std::string old(kHandshake);
  old.replace(old.find("HTTP/1.1"), 8, "HTTP/1.0");
  EXPECT_THAT(answer_to(old), testing::StartsWith("HTTP/1.1 400 Bad Request"));
}

}  // namespace
}  // namespace basalt::net
