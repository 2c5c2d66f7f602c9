// Which cipher suites a handshake may end with. The other side is OpenSSL with one suite to offer.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

#include "kube/net/net_fixture.h"
#include "kube/net/openssl_handles.h"

namespace basalt::net {
namespace {

constexpr int kMaxSteps = 20;  // far more flights than a handshake has

struct Offer {
  const char* suite;
  int version = TLS1_2_VERSION;
};

class SuitesTest : public ::testing::Test {
 protected:
  SuitesTest() {
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      throw std::runtime_error("no sockets");
    }
  }
  ~SuitesTest() override {
    for (const int end : ends) ::close(end);
  }

  static SslContextPtr other_side(const SSL_METHOD* method, const Offer& offer) {
    SslContextPtr context(SSL_CTX_new(method));
    SSL_CTX_set_security_level(context.get(), 0);  // it may offer anything
    SSL_CTX_set_min_proto_version(context.get(), offer.version);
    SSL_CTX_set_max_proto_version(context.get(), offer.version);
    const int known = offer.version == TLS1_3_VERSION ? SSL_CTX_set_ciphersuites(context.get(), offer.suite)
                                                      : SSL_CTX_set_cipher_list(context.get(), offer.suite);
    EXPECT_EQ(known, 1) << offer.suite;
    return context;
  }

  // Whether both sides come to an end.
  bool agree(TlsSession& ours, SSL* theirs) {
    SSL_set_fd(theirs, ends[1]);
    bool we = false, they = false;
    for (int step = 0; step < kMaxSteps && !(we && they); ++step) {
      if (!they) {
        const int result = SSL_do_handshake(theirs);
        they = result == 1;
        const int error = SSL_get_error(theirs, result);
        if (!they && error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) return false;
      }
      if (!we) {
        const TlsStep result = ours.handshake();
        we = result == TlsStep::Done;
        if (result == TlsStep::Failed || result == TlsStep::Closed) return false;
      }
    }
    return we && they;
  }

  bool server_takes(const Offer& offer) {
    auto context = must(TlsContext::server(certificates.server.certificate_pem, certificates.server.key_pem, ""));
    TlsSession ours = must(TlsSession::accept(context, ends[0]));
    const SslContextPtr theirs = other_side(TLS_client_method(), offer);
    const SslPtr session(SSL_new(theirs.get()));
    SSL_set_connect_state(session.get());
    return agree(ours, session.get());
  }

  bool client_takes(const Offer& offer) {
    auto context = must(TlsContext::client({.ca_pem = certificates.authority.certificate_pem}));
    TlsSession ours = must(TlsSession::connect(context, ends[0], "localhost"));
    const SslContextPtr theirs = other_side(TLS_server_method(), offer);
    const auto chain = must(read_certificates(certificates.server.certificate_pem));
    SSL_CTX_use_certificate(theirs.get(), chain.front().get());
    SSL_CTX_use_PrivateKey(theirs.get(), must(read_key(certificates.server.key_pem)).get());
    const SslPtr session(SSL_new(theirs.get()));
    SSL_set_accept_state(session.get());
    return agree(ours, session.get());
  }

  const TestAuthority certificates;
  std::array<int, 2> ends{-1, -1};
};

class GoodSuite : public SuitesTest, public ::testing::WithParamInterface<Offer> {};
class BadSuite : public SuitesTest, public ::testing::WithParamInterface<Offer> {};

TEST_P(GoodSuite, IsTakenByTheServer) { EXPECT_TRUE(server_takes(GetParam())); }
TEST_P(GoodSuite, IsTakenByTheClient) { EXPECT_TRUE(client_takes(GetParam())); }
TEST_P(BadSuite, IsRefusedByTheServer) { EXPECT_FALSE(server_takes(GetParam())); }
TEST_P(BadSuite, IsRefusedByTheClient) { EXPECT_FALSE(client_takes(GetParam())); }

INSTANTIATE_TEST_SUITE_P(Aead, GoodSuite,
                         ::testing::Values(Offer{"ECDHE-ECDSA-AES128-GCM-SHA256"},
                                           Offer{"ECDHE-ECDSA-AES256-GCM-SHA384"},
                                           Offer{"ECDHE-ECDSA-CHACHA20-POLY1305"},
                                           Offer{"TLS_AES_128_GCM_SHA256", TLS1_3_VERSION},
                                           Offer{"TLS_CHACHA20_POLY1305_SHA256", TLS1_3_VERSION}));
// CBC, CCM with a short tag, and what has no forward secrecy, is anonymous, or older than TLS 1.2.
INSTANTIATE_TEST_SUITE_P(Others, BadSuite,
                         ::testing::Values(Offer{"ECDHE-ECDSA-AES128-SHA"}, Offer{"ECDHE-ECDSA-AES256-SHA384"},
                                           Offer{"ECDHE-ECDSA-AES128-CCM8"}, Offer{"AECDH-AES128-SHA"},
                                           Offer{"TLS_AES_128_CCM_8_SHA256", TLS1_3_VERSION},
                                           Offer{"ECDHE-ECDSA-AES128-SHA", TLS1_1_VERSION}));

}  // namespace
}  // namespace basalt::net
