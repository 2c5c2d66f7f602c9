// The client against servers that misbehave, and on ways that are not straight. What it does with a good one is the
// contract's test (tests/client).
#include "kube/client/https_object_client.h"

#include <gmock/gmock.h>

#include <future>

#include "kube/api/object_fields.h"
#include "kube/client/client_fixture.h"
#include "kube/client/https_object_client_fixture.h"

namespace basalt::client {
namespace {

using api::Verb;
using ::testing::HasSubstr;

TEST(HttpsObjectClient, NobodyThere) {
  auto connection = RestConfig{.server = {.tls = false, .host = "127.0.0.1", .port = 1}};
  const auto client = net::must(HttpsObjectClient::make(connection));
  const auto outcome = client->call(pods(Verb::Get, "p"));
  EXPECT_EQ(short_of(outcome), "503 NotReached");
  EXPECT_THAT(outcome.error().message, HasSubstr("127.0.0.1:1"));
  EXPECT_EQ(watched(*client), std::vector<std::string>{"503 NotReached"});
}

TEST(HttpsObjectClient, ACallThatMakesNoSenseIsNotSent) {
  RawServer server([](RawServer& self, int socket, int) { self.read_request(socket); });
  const auto client = plain_client(server);
  EXPECT_EQ(short_of(client->call(pods(Verb::Delete, ""))), "400 BadRequest");
  EXPECT_EQ(server.requests(), 0);
}

TEST(HttpsObjectClient, ReadsAreRepeatedOnceOnAConnectionThatBrokeWritesAreNot) {
  // Answers one request on each connection, and closes it when the next has come.
  RawServer server([](RawServer& self, int socket, int) {
    if (self.read_request(socket).empty()) return;
    RawServer::say(socket, RawServer::ok(R"({"kind":"Pod"})"));
    self.read_request(socket);
  });
  const auto client = plain_client(server);
  EXPECT_EQ(short_of(client->call(pods(Verb::Get, "p"))), "fine");
  EXPECT_EQ(short_of(client->call(pods(Verb::Get, "p"))), "fine");
  EXPECT_EQ(server.requests(), 3);
  api::Call create = pods(Verb::Create);
  create.body = text::Object{};
  const auto outcome = client->call(create);
  EXPECT_EQ(short_of(outcome), "504 NoAnswer");
  EXPECT_EQ(server.requests(), 4);
  EXPECT_EQ(short_of(client->call(create)), "fine");
}

TEST(HttpsObjectClient, AConnectionThatWasClosedInTheMeantimeIsNotUsed) {
  std::promise<void> closed;
  RawServer server([&](RawServer& self, int socket, int number) {
    if (number == 1) closed.set_value();  // so the first one is closed by now
    if (!self.read_request(socket).empty()) RawServer::say(socket, RawServer::ok(R"({"kind":"Pod"})"));
  });
  const auto client = plain_client(server, {.max_connections = 1});
  api::Call create = pods(Verb::Create);
  create.body = text::Object{};
  EXPECT_EQ(short_of(client->call(create)), "fine");
  const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(server.port());
  ASSERT_EQ(::connect(probe, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);  // NOLINT
  net::await(closed.get_future());
  ::close(probe);
  EXPECT_EQ(short_of(client->call(create)), "fine");
}

TEST(HttpsObjectClient, DestroyingTheClientEndsCallsThatNobodyAnswers) {
  std::promise<void> asked;
  std::vector<std::string> ends;
  RawServer server([&](RawServer& self, int socket, int number) {
    self.read_request(socket);
    if (number == 0) asked.set_value();
    self.read_request(socket);  // until the client goes
  });
  auto client = plain_client(server, {.max_connections = 1});
  for (int i = 0; i < 3; ++i) {
    client->send(pods(Verb::Delete, "p"), [&](const ReplyOrError& outcome) { ends.push_back(short_of(outcome)); });
  }
  net::await(asked.get_future());
  client.reset();
  EXPECT_EQ(ends, (std::vector<std::string>{"504 NoAnswer", "503 NotReached", "503 NotReached"}));
}

TEST(HttpsObjectClient, AWatchOfASilentServerEndsAtOnce) {
  for (const bool with_head : {false, true}) {
    std::promise<void> asked;
    RawServer server([&](RawServer& self, int socket, int) {
      self.read_request(socket);
      if (with_head) RawServer::say(socket, kChunked);
      asked.set_value();
      self.read_request(socket);
    });
    auto client = plain_client(server);
    bool called = false;
    auto watch = client->watch(pods(Verb::Watch), [&](const WatchEvent&) { called = true; });
    net::await(asked.get_future());
    client.reset();  // a watch may outlive its client
    watch.reset();
    EXPECT_FALSE(called);
  }
}

TEST(HttpsObjectClient, AWatchEndsWithOneErrorWhateverTheReason) {
  const std::string event = R"({"type":"ADDED","object":{"metadata":{"name":"a"}}})";
  const std::string expired = R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}})";
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases{
      {std::string(kChunked) + chunk(event + "\n") + "0\r\n\r\n", {"event a", "504 WatchEnded"}},
      {std::string(kChunked) + chunk(event + "\n"), {"event a", "504 NoAnswer"}},
      {std::string(kChunked) + chunk(event.substr(0, 20)) + chunk(event.substr(20) + "\n" + event + "\n") + "0\r\n\r\n",
       {"event a", "event a", "504 WatchEnded"}},
      {std::string(kChunked) + chunk(expired + "\n" + event + "\n"), {"410 Expired"}},
      {std::string(kChunked) + chunk("nonsense\n"), {"504 Unreadable"}},
      {"HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\n\r\nno!\n", {"403 Forbidden"}},
      {"HTTP/1.1 410 Gone\r\nContent-Type: application/json\r\nContent-Length: 47\r\n\r\n"
       R"({"kind":"Status","code":410,"reason":"Expired"})",
       {"410 Expired"}},
      {"what is this", {"504 NoAnswer"}}};
  for (const auto& [answer, expected] : cases) {
    RawServer server([&](RawServer& self, int socket, int) {
      self.read_request(socket);
      RawServer::say(socket, answer);
    });
    EXPECT_EQ(watched(*plain_client(server)), expected) << answer;
  }
}

TEST(HttpsObjectClient, AnswersThatAreTooLongOrBrokenAreErrors) {
  for (const char* answer : {"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", "HTTP/9 nonsense\r\n\r\n",
                             "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{}"}) {
    RawServer server([&](RawServer& self, int socket, int) {
      self.read_request(socket);
      RawServer::say(socket, answer);
    });
    EXPECT_EQ(short_of(plain_client(server)->call(pods(Verb::Get, "p"))), "504 NoAnswer") << answer;
  }
}

// A proxy that lets CONNECT through to one server, byte by byte in both directions.
void tunnel(RawServer& self, int socket, uint16_t port, std::string& request) {
  request = self.read_request(socket);
  const int behind = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  if (::connect(behind, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return;  // NOLINT
  RawServer::say(socket, "HTTP/1.1 200 Connection established\r\n\r\n");
  const auto copy = [](int from, int to) {
    std::array<char, 4096> bytes{};
    for (;;) {
      const auto got = ::recv(from, bytes.data(), bytes.size(), 0);
      if (got <= 0) break;
      RawServer::say(to, std::string_view(bytes.data(), static_cast<size_t>(got)));
    }
    ::shutdown(to, SHUT_RDWR);
  };
  std::thread back([&] { copy(behind, socket); });
  copy(socket, behind);
  back.join();
  ::close(behind);
}

class SecureWay : public net::ServerTest {
 protected:
  // Answers who asked, and how.
  void start_telling() {
    start([](const std::shared_ptr<net::HttpExchange>& exchange) {
      const net::HttpRequest& request = exchange->request();
      const std::string who =
          request.peer.has_certificate ? request.peer.common_name : std::string(request.headers.get("Authorization"));
      exchange->reply({.body = "{\"who\":\"" + who + "\",\"target\":\"" + request.target + "\"}"});
    });
  }
  RestConfig way() {
    return {.server = {.host = "127.0.0.1", .port = server->port()},
            .ca_pem = certificates.authority.certificate_pem,
            .identity = {.token = "t"}};
  }
  static std::string told(const RestConfig& connection, HttpsObjectClientOptions options = {}) {
    const auto client = HttpsObjectClient::make(connection, std::move(options));
    if (!client) return client.error().message;
    const auto outcome = (*client)->call(pods(Verb::Get, "p"));
    if (!outcome) return outcome.error().message;
    return std::string(api::string_at(outcome->object->get_object(), "who"));
  }
};

TEST_F(SecureWay, TokenCertificateBasicAndNobody) {
  start_telling();
  RestConfig connection = way();
  EXPECT_EQ(told(connection), "Bearer t");
  connection.identity = {.username = "u", .password = "p"};
  EXPECT_EQ(told(connection), "Basic dTpw");
  const net::KeyPair pair = certificates.client("alice", {});
  connection.identity = {.certificate_pem = pair.certificate_pem, .key_pem = pair.key_pem};
  EXPECT_EQ(told(connection), "alice");
  connection.identity = {};
  EXPECT_EQ(told(connection), "");
}

TEST_F(SecureWay, TheServerMustProveItself) {
  start_telling();
  RestConfig connection = way();
  connection.ca_pem = net::TestAuthority().authority.certificate_pem;
  EXPECT_THAT(told(connection), HasSubstr("certificate"));
  connection.ca_pem = "";  // the system's authorities do not know it either
  EXPECT_THAT(told(connection), HasSubstr("certificate"));
  connection.insecure = true;
  EXPECT_EQ(told(connection), "Bearer t");
  connection = way();
  connection.tls_server_name = "kubernetes.default.svc";
  EXPECT_EQ(told(connection), "Bearer t");
  connection.tls_server_name = "elsewhere.example.org";
  EXPECT_THAT(told(connection), HasSubstr("elsewhere.example.org"));
  connection = way();
  connection.ca_pem = "nonsense";
  EXPECT_FALSE(HttpsObjectClient::make(connection));
}

TEST_F(SecureWay, ThePathPrefixComesFirst) {
  start_telling();
  RestConfig connection = way();
  connection.server.path_prefix = "/k8s/c1";
  const auto client = net::must(HttpsObjectClient::make(connection));
  const auto outcome = client->call(pods(Verb::Get, "p"));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(api::string_at(outcome->object->get_object(), "target"), "/k8s/c1/api/v1/namespaces/n/pods/p");
}

TEST_F(SecureWay, ThroughAProxy) {
  start_telling();
  std::string asked;
  RawServer proxy([&](RawServer& self, int socket, int) { tunnel(self, socket, server->port(), asked); });
  RestConfig connection = way();
  connection.server.host = "localhost";  // the proxy resolves it, not we
  connection.proxy = {.host = "127.0.0.1", .port = proxy.port(), .user_info = "u:p"};
  EXPECT_EQ(told(connection), "Bearer t");
  EXPECT_THAT(asked, HasSubstr("CONNECT localhost:" + std::to_string(server->port()) + " HTTP/1.1\r\n"));
  EXPECT_THAT(asked, HasSubstr("Proxy-Authorization: Basic dTpw\r\n"));
  RawServer closed([](RawServer& self, int socket, int) {
    self.read_request(socket);
    RawServer::say(socket, "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
  });
  connection.proxy->port = closed.port();
  EXPECT_THAT(told(connection), HasSubstr("407"));
}

TEST_F(SecureWay, PlainHttpThroughAProxyAsksForTheWholeUrl) {
  std::string asked;
  RawServer proxy([&](RawServer& self, int socket, int) {
    asked = self.read_request(socket);
    RawServer::say(socket, RawServer::ok(R"({"who":"x"})"));
  });
  EXPECT_EQ(told({.server = {.tls = false, .host = "api.example.org", .port = 8080},
                  .proxy = ProxyAddress{.host = "127.0.0.1", .port = proxy.port()}}),
            "x");
  EXPECT_THAT(asked, HasSubstr("GET http://api.example.org:8080/api/v1/namespaces/n/pods/p HTTP/1.1\r\nHost: "
                               "api.example.org:8080\r\n"));
}

TEST_F(SecureWay, CredentialsThatAreRefusedAreRenewedOnce) {
  std::atomic<int> asked = 0;
  start([&](const std::shared_ptr<net::HttpExchange>& exchange) {
    ++asked;
    const std::string who(exchange->request().headers.get("Authorization"));
    exchange->reply({.status = who == "Bearer new" ? 201U : 401U, .body = "{\"who\":\"" + who + "\"}"});
  });
  FakeHostEnvironment machine;
  machine.files["/token"] = "old";
  RestConfig connection = way();
  connection.identity = {.token_file = "/token"};
  const auto client = net::must(HttpsObjectClient::make(connection, {.host_environment = machine.host_environment()}));
  machine.files["/token"] = "new";
  api::Call create = pods(Verb::Create);
  create.body = text::Object{};
  const auto outcome = client->call(create);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(api::string_at(outcome->object->get_object(), "who"), "Bearer new");
  EXPECT_EQ(asked, 2);
  connection.identity = {.token = "old"};
  EXPECT_THAT(told(connection), HasSubstr("401"));
  EXPECT_EQ(asked, 3);
}

}  // namespace
}  // namespace basalt::client
