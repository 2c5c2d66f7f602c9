#include "kube/net/certificates.h"

#include <gmock/gmock.h>

#include "kube/net/net_fixture.h"

namespace basalt::net {
namespace {

using ::testing::HasSubstr;

constexpr Instant kNow = Instant::from_unix_seconds(1'800'000'000);

TEST(Certificates, LastAsPromised) {
  const KeyPair authority = must(make_authority("ca", kNow));
  EXPECT_EQ(must(valid_until(authority.certificate_pem)), kNow + kAuthorityLife);
  const KeyPair server = must(sign_server(authority, {.common_name = "s", .names = {"localhost"}}, kNow));
  EXPECT_EQ(must(valid_until(server.certificate_pem)), kNow + kLeafLife);
}

TEST(Certificates, KnowTheirKeyAndTheirIssuer) {
  const KeyPair authority = must(make_authority("ca", kNow));
  const KeyPair other = must(make_authority("ca", kNow));
  const KeyPair client = must(sign_client(authority, {.common_name = "jane"}, kNow));
  EXPECT_TRUE(must(key_matches(client.certificate_pem, client.key_pem)));
  EXPECT_FALSE(must(key_matches(client.certificate_pem, authority.key_pem)));
  EXPECT_TRUE(must(signed_by(client.certificate_pem, authority.certificate_pem)));
  EXPECT_FALSE(must(signed_by(client.certificate_pem, other.certificate_pem)));
  EXPECT_TRUE(must(signed_by(authority.certificate_pem, authority.certificate_pem)));
}

// Some clients (fabric8, and with it Spark) read EC keys in this form only; others are read by us, too.
TEST(Certificates, KeysAreInSec1FormAndOthersAreRead) {
  const KeyPair authority = must(make_authority("ca", kNow));
  const KeyPair client = must(sign_client(authority, {.common_name = "jane"}, kNow));
  EXPECT_THAT(client.key_pem, testing::StartsWith("-----BEGIN EC PRIVATE KEY-----\n"));
  EXPECT_THAT(client.key_pem, testing::EndsWith("-----END EC PRIVATE KEY-----\n"));
  // The same form of key with its parameters in front, as `openssl ecparam -genkey` writes it.
  const std::string parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
  EXPECT_TRUE(must(key_matches(client.certificate_pem, parameters + client.key_pem)));
  // PKCS#8, as our own files of before have it.
  const std::string eight =
      "-----BEGIN PRIVATE KEY-----\n"
      "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQguopGsfvuXhlzmDlO\n"
      "1Au6v5rE3KOO20bAFGMfHU0qFQWhRANCAAQQZrP2Njboep7NoCWUEg6ighudUNc4\n"
      "tTr3U8N4T5S3I0ThOnTZ84pjoBt/ngX5qyBzDSSBsSx7HiQJI1NN4oJQ\n"
      "-----END PRIVATE KEY-----\n";
  EXPECT_FALSE(must(key_matches(client.certificate_pem, eight))) << "read, but another key";
}

TEST(Certificates, RenewedAuthorityVouchesForOldAndNew) {
  const KeyPair old = must(make_authority("ca", kNow));
  const KeyPair client = must(sign_client(old, {.common_name = "jane"}, kNow));
  const Instant later = kNow + Duration::seconds(int64_t{7} * 365 * 24 * 3600);
  const KeyPair renewed = must(renew_authority(old, later));
  EXPECT_EQ(must(valid_until(renewed.certificate_pem)), later + kAuthorityLife);
  EXPECT_TRUE(must(key_matches(renewed.certificate_pem, old.key_pem)));
  const KeyPair next = must(sign_client(renewed, {.common_name = "jane"}, later));
  for (const KeyPair* leaf : {&client, &next}) {
    EXPECT_TRUE(must(signed_by(leaf->certificate_pem, old.certificate_pem)));
    EXPECT_TRUE(must(signed_by(leaf->certificate_pem, renewed.certificate_pem)));
  }
  const KeyPair other = must(make_authority("ca", kNow));
  EXPECT_FALSE(renew_authority({.certificate_pem = old.certificate_pem, .key_pem = other.key_pem}, later));
}

TEST(Certificates, GrowOldAfterTwoThirdsOfTheirLife) {
  const Validity life{.from = Instant::from_unix_seconds(1000), .until = Instant::from_unix_seconds(4000)};
  EXPECT_EQ(renewal_of(life), Instant::from_unix_seconds(3000));
  EXPECT_FALSE(wants_renewal(life, Instant::from_unix_seconds(2999)));
  EXPECT_TRUE(wants_renewal(life, Instant::from_unix_seconds(3000)));
  EXPECT_TRUE(wants_renewal(life, Instant::from_unix_seconds(9000)));
  EXPECT_FALSE(wants_renewal(life, life.from));
  EXPECT_TRUE(wants_renewal(life, Instant::from_unix_seconds(999))) << "the clock was set back";
}

TEST(Certificates, SayWhatTheyAreFor) {
  const KeyPair authority = must(make_authority("ca", kNow));
  const KeyPair server =
      must(sign_server(authority, {.common_name = "cn", .names = {"a.example", "10.0.0.1", "::1"}}, kNow));
  const Validity life = must(validity(server.certificate_pem));
  EXPECT_LT(life.from, kNow);
  EXPECT_EQ(life.until, kNow + kLeafLife);
  for (const char* name : {"a.example", "10.0.0.1", "::1"}) {
    EXPECT_TRUE(must(certificate_covers_name(server.certificate_pem, name))) << name;
  }
  for (const char* name : {"cn", "b.example", "10.0.0.2", ""}) {
    EXPECT_FALSE(must(certificate_covers_name(server.certificate_pem, name))) << name;
  }
  EXPECT_FALSE(validity("nonsense"));
  EXPECT_FALSE(certificate_covers_name("nonsense", "a.example"));
}

TEST(Certificates, RefuseNonsenseWithAReason) {
  const KeyPair authority = must(make_authority("ca", kNow));
  EXPECT_FALSE(valid_until(""));
  EXPECT_FALSE(valid_until("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"));
  EXPECT_FALSE(valid_until(authority.certificate_pem.substr(0, 200)));
  EXPECT_FALSE(
      valid_until(authority.certificate_pem + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"));
  EXPECT_FALSE(key_matches(authority.certificate_pem, authority.certificate_pem));
  EXPECT_FALSE(sign_server(authority, {.common_name = "s", .names = {}}, kNow));
  EXPECT_FALSE(sign_server(authority, {.common_name = "s", .names = {""}}, kNow));
  EXPECT_FALSE(sign_client(authority, {.common_name = std::string(5000, 'x')}, kNow));
  EXPECT_FALSE(sign_client(authority, {.common_name = "\xff\xfe"}, kNow));
  const KeyPair mixed{.certificate_pem = authority.certificate_pem, .key_pem = must(make_authority("x", kNow)).key_pem};
  const auto refused = sign_client(mixed, {.common_name = "jane"}, kNow);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("mismatch"));
}

// A server is only believed by the names in its certificate, and a comma in a name makes no second one.
class NamesTest : public ServerTest {};

TEST_F(NamesTest, OnlyTheNamesInTheCertificateCount) {
  const KeyPair odd =
      must(sign_server(certificates.authority,
                       {.common_name = "127.0.0.1", .names = {"example.org,IP:127.0.0.1", "localhost"}}, test_now()));
  options.tls.certificate_pem = odd.certificate_pem;
  options.tls.key_pem = odd.key_pem;
  start_echo();
  EXPECT_TRUE(HttpClient::connect("localhost", server->port(), trusting));
  const auto by_address = HttpClient::connect("127.0.0.1", server->port(), trusting);
  ASSERT_FALSE(by_address);
  EXPECT_THAT(by_address.error().message, HasSubstr("IP address mismatch"));
}

TEST_F(NamesTest, ExpiredClientIsRefused) {
  start_echo();
  const Instant long_ago{test_now().nanos - 2 * kLeafLife.nanos};
  const KeyPair old = must(sign_client(certificates.authority, {.common_name = "jane"}, long_ago));
  trusting.certificate_pem = old.certificate_pem;
  trusting.key_pem = old.key_pem;
  auto link = HttpClient::connect("127.0.0.1", server->port(), trusting);
  if (link) {
    EXPECT_FALSE(link->request(get("/")));
  }
}

}  // namespace
}  // namespace basalt::net
