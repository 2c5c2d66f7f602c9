// pods/x/exec through the HTTP handler: who is let in, what is refused, and what goes over the channels. The command is
// one that the test plays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/net/websocket.h"
#include "kube/text/json.h"
#include "server/api_server.h"
#include "server/http/exec_stream.h"
#include "server/http/http_handler.h"
#include "tests/golden/fake_exchange.h"

namespace basalt {
namespace {

using testing::HasSubstr;

constexpr std::string_view kPodOfTwoContainers = R"({"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[
  {"name":"a","image":"x"},{"name":"b","image":"x"}]}})";
constexpr std::string_view kRunning = R"({"status":{"phase":"Running","containerStatuses":[
  {"name":"a","ready":true,"restartCount":0,"image":"x","imageID":"","state":{"running":{}}},
  {"name":"b","ready":false,"restartCount":0,"image":"x","imageID":"","state":{"waiting":{}}}]}})";

struct PlayedCommand : api::ExecHandle {
  bool input(std::string_view bytes) override {
    said += bytes;
    return said.size() < 100;
  }
  void end_input() override { said += "|end"; }
  void resume() override {}
  void stop() override { stopped = true; }

  api::ExecRequest request;
  api::ExecCallbacks callbacks;
  std::string said;
  bool stopped = false;
};

class Exec : public testing::Test {
 protected:
  Exec()
      : store(store::Store::in_memory()),
        server(*store, {.clock = [] { return Instant::from_unix_seconds(1); }, .seed = 1}) {
    send(api::Verb::Create, "namespaces", "", "", R"({"metadata":{"name":"default"}})");
    send(api::Verb::Create, "nodes", "", "", R"({"metadata":{"name":"n"}})");
    send(api::Verb::Create, "nodes", "", "", R"({"metadata":{"name":"s","labels":{"basalt.sh/runtime":"simulated"}}})");
    send(api::Verb::Create, "pods", "", "", kPodOfTwoContainers);
    send(api::Verb::Patch, "pods", "p", "status", kRunning);
    server::HttpHandlerOptions options{.authentication =
                                           server::Authentication({{.token = "t", .user = {.name = "me"}}})};
    options.exec = [this](api::ExecRequest request, api::ExecCallbacks callbacks) {
      if (command != nullptr) command->callbacks = {};  // the former one is over
      command = std::make_shared<PlayedCommand>();
      command->request = std::move(request);
      command->callbacks = std::move(callbacks);
      return command;
    };
    handler = std::make_unique<server::HttpHandler>(server, metrics, std::move(options));
  }
  ~Exec() override {
    if (command != nullptr) command->callbacks = {};
  }

  void send(api::Verb verb, std::string plural, std::string name, std::string part, std::string_view body) {
    api::Call call{.verb = verb, .resource = {.group = "", .version = "v1", .plural = plural}};
    if (plural == "pods") call.namespace_name = "default";
    call.name = std::move(name);
    call.subresource = std::move(part);
    call.patch = api::PatchType::Merge;
    call.body = *text::parse_json(body);
    server.send({.name = "me"}, std::move(call), [](const server::ApiOutcome& outcome) {
      EXPECT_TRUE(outcome.has_value()) << (outcome ? "" : outcome.error().message);
    });
  }

  static net::HttpRequest request(std::string_view query, std::string_view pod = "p") {
    net::HttpRequest out{
        .method = "GET",
        .target = "/api/v1/namespaces/default/pods/" + std::string(pod) + "/exec?" + std::string(query)};
    out.headers.list = {{"Authorization", "Bearer t"},
                        {"Connection", "Upgrade"},
                        {"Upgrade", "websocket"},
                        {"Sec-WebSocket-Version", "13"},
                        {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="},
                        {"Sec-WebSocket-Protocol", "v5.channel.k8s.io"}};
    return out;
  }
  std::shared_ptr<tests::FakeExchange> visit(net::HttpRequest asked) {
    auto exchange = std::make_shared<tests::FakeExchange>(std::move(asked));
    handler->handle(exchange);
    return exchange;
  }
  // "<status> <message>"
  std::string refusal(net::HttpRequest asked) {
    const auto exchange = visit(std::move(asked));
    EXPECT_EQ(command, nullptr);
    const auto status = text::parse_json(exchange->answer().body);
    return std::to_string(exchange->answer().status) + " " +
           (status ? std::string(status->at("message").as_string()) : exchange->answer().body);
  }
  static std::string frame(net::WebSocketOp op, std::string_view payload) {
    std::string out;
    net::append_frame(out, op, payload, 0xDEADBEEFU);
    return out;
  }
  static std::string channel(uint8_t number, std::string_view bytes) {
    return frame(net::WebSocketOp::Binary, std::string(1, static_cast<char>(number)).append(bytes));
  }
  // What was sent, as "<channel>:<bytes>|", "close <code>|".
  static std::string sent(tests::FakeExchange& exchange) {
    net::WebSocketParser parser(net::WebSocketParser::From::Server);
    std::string all;
    for (const net::WebSocketMessage& message : parser.feed(exchange.stream_text()).messages) {
      const auto at = [&](size_t i) { return static_cast<unsigned>(static_cast<uint8_t>(message.payload.at(i))); };
      all += message.op == net::WebSocketOp::Close ? "close " + std::to_string(at(0) * 256 + at(1))
                                                   : std::to_string(at(0)) + ":" + message.payload.substr(1);
      all += "|";
    }
    return all;
  }

  std::unique_ptr<store::Store> store;
  server::ApiServer server;
  server::ServerMetrics metrics{0, "test"};
  std::unique_ptr<server::HttpHandler> handler;
  std::shared_ptr<PlayedCommand> command;
};

TEST_F(Exec, TheCommandAndItsChannels) {
  const auto exchange =
      visit(request("command=sh&command=-c&command=a%20b&container=a&stdin=true&stdout=true&stderr=true"));
  ASSERT_EQ(exchange->answer().status, 101U) << exchange->answer().body;
  EXPECT_EQ(exchange->answer().headers.get("Sec-WebSocket-Protocol"), "v5.channel.k8s.io");
  ASSERT_NE(command, nullptr);
  EXPECT_THAT(command->request.argv, testing::ElementsAre("sh", "-c", "a b"));
  EXPECT_EQ(command->request.container, "a");
  EXPECT_NE(command->request.uid, "");
  exchange->duplex().receive(channel(0, "in") + channel(4, R"({"Width":1})") + channel(0, "put") +
                             channel(255, std::string_view("\0", 1)));
  EXPECT_EQ(command->said, "input|end");
  EXPECT_TRUE(command->callbacks.output(api::ExecStream::Stdout, "out"));
  EXPECT_TRUE(command->callbacks.output(api::ExecStream::Stderr, "err"));
  command->callbacks.ended({.code = 3, .problem = ""});
  EXPECT_THAT(sent(*exchange), HasSubstr("1:out|2:err|3:{"));
  EXPECT_THAT(sent(*exchange),
              HasSubstr(R"("reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"3"}]})"));
  EXPECT_THAT(sent(*exchange), testing::EndsWith("|close 1000|"));
  EXPECT_FALSE(exchange->duplex().finished());  // until the client has answered
  exchange->duplex().receive(frame(net::WebSocketOp::Close, net::close_payload(1000, "")));
  EXPECT_TRUE(exchange->duplex().finished());
}

TEST_F(Exec, WhatChannelThreeSays) {
  EXPECT_EQ(text::to_json(server::exec_status({})), R"({"metadata":{},"status":"Success"})");
  EXPECT_THAT(text::to_json(server::exec_status({.code = 0, .problem = "no such program"})),
              HasSubstr("error executing command in container: no such program"));
}

TEST_F(Exec, AClientThatIsGoneStopsTheCommand) {
  const auto exchange = visit(request("command=x&container=a"));
  ASSERT_NE(command, nullptr);
  exchange->hang_up();
  EXPECT_TRUE(command->stopped);
  EXPECT_TRUE(command->callbacks.output(api::ExecStream::Stdout, "nobody hears this"));
}

TEST_F(Exec, AFullCommandHoldsTheClient) {
  const auto exchange = visit(request("command=x&container=a&stdin=1"));
  exchange->duplex().receive(channel(0, std::string(200, 'x')));
  EXPECT_TRUE(exchange->duplex().held());
  command->callbacks.room();
  EXPECT_FALSE(exchange->duplex().held());
  exchange->duplex().receive(channel(0, "x"));
  EXPECT_TRUE(exchange->duplex().held());
  command->callbacks.ended({});  // the client's answer to the close must be heard
  EXPECT_FALSE(exchange->duplex().held());
}

TEST_F(Exec, StrangeMessages) {
  const auto exchange = visit(request("command=x&container=a"));
  exchange->duplex().receive(frame(net::WebSocketOp::Binary, "") + channel(0, "not asked for") + channel(7, "?") +
                             channel(255, "") + channel(255, "\x01") + channel(3, "{}"));
  EXPECT_EQ(command->said, "");
  const auto other = visit(request("command=x&container=a"));
  other->duplex().receive("\xFF\xFF\xFF\xFF");
  EXPECT_EQ(sent(*other), "close 1002|");
  EXPECT_TRUE(command->stopped);
}

TEST_F(Exec, TextIsInputLikeBytes) {
  const auto exchange = visit(request("command=x&container=a&stdin=True"));
  const std::string typed = std::string(1, '\0') + "typed ü\n";
  exchange->duplex().receive(frame(net::WebSocketOp::Text, typed) + channel(0, "and bytes"));
  EXPECT_EQ(command->said, "typed ü\nand bytes");
  EXPECT_EQ(sent(*exchange), "");
  EXPECT_FALSE(command->stopped);
}

TEST_F(Exec, AllSpellingsOfNo) {
  for (const char* no : {"false", "False", "FALSE", "fAlSe", "0"}) {
    const auto exchange = visit(request(std::string("command=x&container=a&tty=") + no + "&stdin=" + no));
    EXPECT_EQ(exchange->answer().status, 101U) << no;
    exchange->duplex().receive(channel(0, "not asked for"));
    EXPECT_EQ(command->said, "") << no;
  }
}

TEST_F(Exec, WhoIsRefused) {
  EXPECT_THAT(refusal(request("command=x", "nope")), HasSubstr("404 pods \"nope\" not found"));
  EXPECT_THAT(refusal(request("command=x")),
              HasSubstr("400 a container name must be specified for pod p, choose one of: [a b]"));
  EXPECT_THAT(refusal(request("command=x&container=c")), HasSubstr("400 container c is not valid for pod p"));
  EXPECT_THAT(refusal(request("command=x&container=b")), HasSubstr("400 container b in pod p is not running"));
  EXPECT_THAT(refusal(request("container=a")), HasSubstr("400 you must specify at least one command"));
  for (const char* yes : {"tty=true", "tty=True", "tty=1", "tty=t", "tty=", "tty"}) {
    EXPECT_THAT(refusal(request(std::string("command=x&container=a&") + yes)), HasSubstr("400 no terminal here"))
        << yes;
  }
  send(api::Verb::Create, "pods", "", "",
       R"({"metadata":{"name":"s"},"spec":{"nodeName":"s","containers":[{"name":"a","image":"x"}]}})");
  EXPECT_THAT(refusal(request("command=x", "s")),
              HasSubstr("501 pod s is on the simulated node s: nothing runs there"));
  send(api::Verb::Create, "pods", "", "",
       R"({"metadata":{"name":"w"},"spec":{"containers":[{"name":"a","image":"x"}]}})");
  EXPECT_THAT(refusal(request("command=x", "w")), HasSubstr("400 pod w does not have a host assigned"));
}

TEST_F(Exec, HostileHandshakes) {
  const auto with = [](size_t header, const char* value) {
    net::HttpRequest asked = request("command=x&container=a");
    asked.headers.list[header].second = value;
    return asked;
  };
  EXPECT_THAT(refusal(with(0, "Bearer wrong")), HasSubstr("401 "));
  EXPECT_THAT(refusal(with(1, "close")), HasSubstr("400 "));
  EXPECT_THAT(refusal(with(2, "SPDY/3.1")), HasSubstr("400 only WebSocket is spoken here"));
  EXPECT_THAT(refusal(with(2, "")), HasSubstr("400 Upgrade request required"));
  EXPECT_THAT(refusal(with(3, "7")), HasSubstr("400 only WebSocket version 13"));
  EXPECT_THAT(refusal(with(4, "x")), HasSubstr("400 Sec-WebSocket-Key"));
  EXPECT_THAT(refusal(with(5, "channel.k8s.io")), HasSubstr("400 no common subprotocol"));
  net::HttpRequest posted = request("command=x&container=a");
  posted.method = "POST";
  EXPECT_THAT(refusal(posted), HasSubstr("400 "));
  posted.method = "PUT";
  EXPECT_THAT(refusal(posted), HasSubstr("405 "));
}

}  // namespace
}  // namespace basalt
