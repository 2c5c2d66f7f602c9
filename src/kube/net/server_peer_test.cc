// Who is on the other side: certificates of ours, of others, of nobody.
#include <gmock/gmock.h>

#include "kube/net/net_fixture.h"

namespace basalt::net {
namespace {

using ::testing::HasSubstr;

class PeerTest : public ServerTest {
 protected:
  // "address certified? user groups…", as the handler sees them.
  void start_who() {
    start([](const std::shared_ptr<HttpExchange>& exchange) {
      const Peer& peer = exchange->request().peer;
      std::string text = peer.address.substr(0, peer.address.rfind(':')) + (peer.has_certificate ? " yes " : " no ");
      text += peer.common_name;
      for (const std::string& group : peer.organizations) text += "," + group;
      exchange->reply({.body = std::move(text)});
    });
  }
  void certify(const KeyPair& pair) {
    trusting.certificate_pem = pair.certificate_pem;
    trusting.key_pem = pair.key_pem;
  }
};

TEST_F(PeerTest, AnonymousIsWelcome) {
  start_who();
  EXPECT_EQ(must(client().request(get("/"))).body, "127.0.0.1 no ");
}

TEST_F(PeerTest, CertificateNamesUserAndGroups) {
  start_who();
  certify(certificates.client("jane", {"system:masters", "grüße"}));
  EXPECT_EQ(must(client().request(get("/"))).body, "127.0.0.1 yes jane,system:masters,grüße");
}

TEST_F(PeerTest, ForeignCertificateEndsTheHandshake) {
  start_who();
  certify(TestAuthority().client("mallory", {"system:masters"}));
  // In TLS 1.3 the client learns of it with its first read.
  auto link = HttpClient::connect("127.0.0.1", server->port(), trusting);
  if (link) {
    EXPECT_FALSE(link->request(get("/")));
  }
  EXPECT_EQ(server->figures().requests, 0U);
}

TEST_F(PeerTest, ServerCertificateIsNoClientCertificate) {
  start_who();
  certify(certificates.server);
  auto link = HttpClient::connect("127.0.0.1", server->port(), trusting);
  if (link) {
    EXPECT_FALSE(link->request(get("/")));
  }
}

TEST_F(PeerTest, ClientRefusesAForeignServer) {
  start_who();
  trusting.ca_pem = TestAuthority().authority.certificate_pem;
  const auto link = HttpClient::connect("127.0.0.1", server->port(), trusting);
  ASSERT_FALSE(link);
  EXPECT_THAT(link.error().message, HasSubstr("certificate verify failed"));
}

}  // namespace
}  // namespace basalt::net
