// Credentials and authorities that are replaced while a client lives, as the server sees it.
#include <gmock/gmock.h>

#include "kube/client/client_fixture.h"
#include "kube/client/credentials.h"
#include "kube/client/https_object_client_fixture.h"

namespace basalt::client {
namespace {

using api::Verb;

class Rotation : public net::ServerTest {
 protected:
  static void answer(const std::shared_ptr<net::HttpExchange>& exchange) {
    exchange->reply({.body = R"({"kind":"Pod"})"});
  }
  // Who asked: the certificate's name, else the Authorization; 401 to whom is not `welcome`.
  void start_telling(std::string welcome = "") {
    start([welcome](const std::shared_ptr<net::HttpExchange>& exchange) {
      const net::HttpRequest& request = exchange->request();
      const std::string who =
          request.peer.has_certificate ? request.peer.common_name : std::string(request.headers.get("Authorization"));
      const unsigned status = welcome.empty() || who == welcome ? 200 : 401;
      exchange->reply({.status = status, .body = R"({"who":")" + who + R"("})"});
    });
  }
  std::unique_ptr<HttpsObjectClient> client_with(AuthInfo identity) {
    return net::must(HttpsObjectClient::make({.server = {.host = "127.0.0.1", .port = server->port()},
                                              .ca_pem = certificates.authority.certificate_pem,
                                              .identity = std::move(identity)},
                                             {.host_environment = machine.host_environment()}));
  }
  static std::string told(ObjectClient& client) {
    const auto outcome = client.call(pods(Verb::Get, "p"));
    return outcome ? std::string(api::string_at(outcome->object->get_object(), "who")) : short_of(outcome);
  }
  void put_certificate(const std::string& name) {
    const net::KeyPair pair = certificates.client(name, {});
    machine.files["/crt"] = pair.certificate_pem;
    machine.files["/key"] = pair.key_pem;
  }
  FakeHostEnvironment machine;
};

TEST_F(Rotation, AClientCertificateThatIsReplacedIsShownOnNewConnections) {
  start_telling();
  put_certificate("alice");
  const auto client = client_with({.certificate_file = "/crt", .key_file = "/key"});
  EXPECT_EQ(told(*client), "alice");
  put_certificate("bob");
  EXPECT_EQ(told(*client), "alice");
  machine.now = machine.now + kRereadAfter;
  EXPECT_EQ(told(*client), "bob");
  put_certificate("carol");
  machine.files["/key"] = "half written";
  machine.now = machine.now + kRereadAfter;
  EXPECT_EQ(told(*client), "bob") << "files that do not fit together change nothing";
}

TEST_F(Rotation, ATokenThatHasExpiredIsReadOnceMore) {
  start_telling("Bearer new");
  machine.files["/token"] = "old\n";
  const auto client = client_with({.token_file = "/token"});
  EXPECT_EQ(told(*client), "401 Unauthorized") << "nothing fresher can be had";
  machine.files["/token"] = "new\n";
  EXPECT_EQ(told(*client), "Bearer new");
}

TEST_F(Rotation, APluginIsRunAgainWhenItsTokenIsRefused) {
  start_telling("Bearer t2");
  const ScratchDirectory scratch;
  ExecPlugin plugin{.command = scratch.script("login",
                                              "echo x >> \"$COUNT\"\n"
                                              "printf '{\"kind\":\"ExecCredential\",\"apiVersion\":"
                                              "\"client.authentication.k8s.io/v1\",\"status\":{\"token\":\"t%d\"}}' "
                                              "$(wc -l < \"$COUNT\")\n"),
                    .environment = {{"COUNT", scratch.path("count")}},
                    .api_version = "client.authentication.k8s.io/v1",
                    .interactive = ExecPlugin::Interactive::Never};
  const auto client = client_with({.exec = std::move(plugin)});
  EXPECT_EQ(told(*client), "Bearer t2");
  EXPECT_EQ(told(*client), "Bearer t2") << "and not a third time";
}

TEST_F(Rotation, AnAuthorityThatIsReplacedIsReadAgain) {
  start(answer);
  machine.files["/ca"] = certificates.authority.certificate_pem;
  const RestConfig connection{.server = {.host = "127.0.0.1", .port = server->port()},
                              .ca_pem = certificates.authority.certificate_pem,
                              .ca_file = "/ca"};
  const auto client = net::must(HttpsObjectClient::make(connection, {.host_environment = machine.host_environment()}));
  EXPECT_EQ(short_of(client->call(pods(Verb::Get, "p"))), "fine");

  const net::TestAuthority other;
  options.port = server->port();
  options.tls.certificate_pem = other.server.certificate_pem;
  options.tls.key_pem = other.server.key_pem;
  server.reset();
  start(answer);
  EXPECT_EQ(short_of(client->call(pods(Verb::Get, "p"))), "503 NotReached");
  machine.files["/ca"] = "half written";
  machine.now = machine.now + kRereadAfter;
  EXPECT_EQ(short_of(client->call(pods(Verb::Get, "p"))), "503 NotReached");
  machine.files["/ca"] = other.authority.certificate_pem;
  machine.now = machine.now + kRereadAfter;
  EXPECT_EQ(short_of(client->call(pods(Verb::Get, "p"))), "fine");
  machine.files.erase("/ca");
  machine.now = machine.now + kRereadAfter;
  EXPECT_EQ(short_of(client->call(pods(Verb::Get, "p"))), "fine") << "what was read once is used on";
}

}  // namespace
}  // namespace basalt::client
