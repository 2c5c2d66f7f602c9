#include "programs/up/certificate_rotation.h"

#include <gmock/gmock.h>

#include <memory>
#include <vector>

#include "kube/net/http_client.h"
#include "kube/net/server.h"
#include "programs/up/up_fixture.h"

namespace basalt::up {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class CertificateRotationTest : public DirectoryTest {
 protected:
  [[nodiscard]] ClusterCertificates certificates(Instant at) const {
    return must(ClusterCertificates::open(scratch, {"127.0.0.1"}, at));
  }
  RotationOptions options() {
    return {.clock = [this] { return clock; },
            .serve = [this](const ClusterCertificates& renewed) -> Result<void> {
              served.push_back(renewed.server().certificate_pem);
              return serve_answer;
            },
            .write_kubeconfig = [this](const ClusterCertificates& renewed) -> Result<void> {
              written.push_back(renewed.admin().certificate_pem);
              return write_answer;
            },
            .log = [this](bool /*warning*/, const std::string& line) { lines.push_back(line); }};
  }

  const Instant now = test_now();
  Instant clock = now;
  Result<void> serve_answer, write_answer;
  std::vector<std::string> served, written, lines;
};

TEST_F(CertificateRotationTest, RenewsInTimeAndSaysSo) {
  CertificateRotation rotation(certificates(now), options());
  const auto end = [](Instant at) {
    return "{certificate=\"server\"} " + std::to_string((at + net::kLeafLife).nanos / 1'000'000'000) + "\n";
  };
  EXPECT_THAT(rotation.metrics_text(), HasSubstr(end(now)));
  clock = now + days(200);
  rotation.look();
  EXPECT_TRUE(served.empty() && written.empty() && lines.empty());
  clock = now + days(250);
  rotation.look();
  rotation.look();
  EXPECT_EQ(served.size(), 1U);
  EXPECT_EQ(written.size(), 1U);
  EXPECT_THAT(lines, ElementsAre(StartsWith("renewed certificates: server, admin; the server's is valid until ")));
  EXPECT_THAT(rotation.metrics_text(), HasSubstr(end(clock)));
}

TEST_F(CertificateRotationTest, WhatFailsIsToldOnceAndTriedAgain) {
  CertificateRotation rotation(certificates(now), options());
  clock = now + days(250);
  serve_answer = failure(ErrorCode::Io, "no");
  write_answer = failure(ErrorCode::Io, "the disk is full");
  rotation.look();
  rotation.look();
  EXPECT_EQ(served.size(), 2U);
  EXPECT_EQ(written.size(), 2U);
  EXPECT_THAT(lines, ElementsAre(StartsWith("renewed"), HasSubstr("not served: no"), HasSubstr("the disk is full")));
  serve_answer = write_answer = Result<void>();
  rotation.look();
  rotation.look();
  EXPECT_EQ(served.size(), 3U);
  EXPECT_EQ(written.size(), 3U);
  EXPECT_EQ(served.front(), served.back());
}

// Against a server and a client that read the real clock: what has ended is refused, and good again after one look.
TEST_F(CertificateRotationTest, AServerGoesOnWithRenewedCertificates) {
  const ClusterCertificates ended = certificates(Instant{now.nanos - days(400).nanos});
  const auto identity = [](const ClusterCertificates& from) {
    return net::TlsIdentity{.certificate_pem = from.server().certificate_pem,
                            .key_pem = from.server().key_pem,
                            .client_ca_pem = from.authority()};
  };
  const auto server = must(net::Server::start({.threads = 1, .tls = identity(ended)},
                                              [](const std::shared_ptr<net::HttpExchange>& exchange) {
                                                exchange->reply({.body = exchange->request().peer.common_name});
                                              }));
  net::HttpClientOptions client{.ca_pem = ended.authority()};
  EXPECT_FALSE(net::HttpClient::connect("127.0.0.1", server->port(), client));

  RotationOptions real = options();
  real.serve = [&](const ClusterCertificates& renewed) { return server->replace_identity(identity(renewed)); };
  real.write_kubeconfig = [&](const ClusterCertificates& renewed) -> Result<void> {
    client.certificate_pem = renewed.admin().certificate_pem;
    client.key_pem = renewed.admin().key_pem;
    return {};
  };
  CertificateRotation rotation(ended, std::move(real));
  rotation.look();
  auto connected = net::HttpClient::connect("127.0.0.1", server->port(), client);
  ASSERT_TRUE(connected) << connected.error().message;
  EXPECT_EQ(must(connected->request({.method = "GET", .target = "/"})).body, "admin");
}

TEST_F(CertificateRotationTest, TheThreadLooksByItselfAndStops) {
  loop::WakeUp done;
  RotationOptions threaded = options();
  threaded.write_kubeconfig = [&](const ClusterCertificates&) -> Result<void> {
    done.notify();
    return {};
  };
  CertificateRotation rotation(certificates(Instant{now.nanos - days(300).nanos}), std::move(threaded));
  rotation.start();
  EXPECT_TRUE(done.wait(Duration::seconds(20)));
  EXPECT_FALSE(rotation.metrics_text().empty());
  rotation.stop();
}

}  // namespace
}  // namespace basalt::up
