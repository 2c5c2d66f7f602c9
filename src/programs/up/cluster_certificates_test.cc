#include "programs/up/cluster_certificates.h"

#include <gmock/gmock.h>

#include <vector>

#include "kube/net/key_pair_file.h"
#include "kube/net/private_file.h"
#include "programs/up/up_fixture.h"

namespace basalt::up {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class ClusterCertificatesTest : public DirectoryTest {
 protected:
  [[nodiscard]] Result<ClusterCertificates> open(Instant at) const {
    return ClusterCertificates::open(scratch, {"localhost", "127.0.0.1"}, at);
  }
  void put(const std::string& name, std::string_view content) const {
    ASSERT_TRUE(net::write_private_file(scratch / name, content));
  }
  // Everything that must hold after every start.
  void expect_sound(const ClusterCertificates& made) const {
    const net::KeyPair kept = must(net::read_key_pair_file(file));
    EXPECT_EQ(kept.certificate_pem, made.authority());
    for (const net::KeyPair* pair : {&made.server(), &made.admin()}) {
      EXPECT_TRUE(must(net::key_matches(pair->certificate_pem, pair->key_pem)));
      EXPECT_TRUE(must(net::signed_by(pair->certificate_pem, made.authority())));
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(scratch), {}), 1) << "there is nothing but ca.pem";
  }

  const Instant now = test_now();
  const fs::path file = scratch / "ca.pem";
  const net::KeyPair former = must(net::make_authority("basalt", now));
  const std::string whole = former.key_pem + former.certificate_pem;
};

TEST_F(ClusterCertificatesTest, AuthorityStaysAndOthersAreSignedAtEachStart) {
  const ClusterCertificates first = must(open(now)), second = must(open(now));
  expect_sound(second);
  EXPECT_EQ(first.authority(), second.authority());
  EXPECT_NE(first.server().certificate_pem, second.server().certificate_pem);
  EXPECT_TRUE(must(net::certificate_covers_name(second.server().certificate_pem, "127.0.0.1")));
  EXPECT_EQ(mode(file), 0600U);
}

// The directory as a crash at each step of a first start, of a renewal, and of the way from the former layout leaves
// it.
TEST_F(ClusterCertificatesTest, AStartAfterACrashAtAnyStepFindsAPairThatMatches) {
  struct Left {
    std::string name, content;
  };
  struct Case {
    std::string what;
    std::vector<Left> files;
    bool has_authority;  // `former` must still be the authority
  };
  const Left pair{"ca.pem", whole}, old_crt{"ca.crt", former.certificate_pem}, old_key{"ca.key", former.key_pem};
  std::vector<Case> cases{
      {"before anything", {}, false},
      {"former version: the key was written", {old_key}, false},
      {"former version: done", {old_key, old_crt}, true},
      {"taken over: written", {pair, old_key, old_crt}, true},
      {"taken over: one removed", {pair, old_crt}, true},
      {"taken over: the other removed", {pair, old_key}, true},
      {"former version: a renewal between key and certificate",
       {old_key, old_crt, {"admin.key", former.key_pem}},
       true},
  };
  for (const size_t size : {size_t{0}, size_t{20}, former.key_pem.size(), whole.size() - 20, whole.size()}) {
    const Left unfinished{".ca.pem.a1B2c3", whole.substr(0, size)};
    const std::string at = "written beside: " + std::to_string(size) + " bytes";
    cases.push_back({"first start, " + at, {unfinished}, false});
    cases.push_back({"renewal, " + at, {pair, unfinished}, true});
    cases.push_back({"taken over, " + at, {old_key, old_crt, unfinished}, true});
  }
  for (const Case& one : cases) {
    SCOPED_TRACE(one.what);
    for (const auto& entry : fs::directory_iterator(scratch)) fs::remove(entry.path());
    for (const Left& left : one.files) put(left.name, left.content);
    const auto made = open(now);
    ASSERT_TRUE(made) << made.error().message;
    expect_sound(*made);
    EXPECT_EQ(made->authority() == former.certificate_pem, one.has_authority);
  }
}

TEST_F(ClusterCertificatesTest, AnAuthorityThatCannotBeUsedIsRefusedAndKept) {
  const net::KeyPair other = must(net::make_authority("basalt", now));
  for (const std::string& bad : {std::string(), whole.substr(0, whole.size() / 2), std::string("nonsense"),
                                 other.key_pem + former.certificate_pem}) {
    put("ca.pem", bad);
    const auto made = open(now);
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().message, HasSubstr(file.string()));
    EXPECT_THAT(made.error().message, HasSubstr("backup"));
    EXPECT_EQ(must(net::read_private_file(file)), bad);
  }
  fs::remove(file);
  put("ca.crt", former.certificate_pem);
  put("ca.key", other.key_pem);
  const auto made = open(now);
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("ca.key is not its key"));
}

TEST_F(ClusterCertificatesTest, EachIsRenewedAfterTwoThirdsOfItsLife) {
  ClusterCertificates certificates = must(open(now));
  const std::string authority = certificates.authority();
  EXPECT_FALSE(must(certificates.renew(now + days(240))).any());
  const auto leaves = must(certificates.renew(now + days(250)));
  EXPECT_TRUE(leaves.server && leaves.admin && !leaves.authority);
  EXPECT_EQ(certificates.authority(), authority);
  EXPECT_GE(must(net::valid_until(certificates.server().certificate_pem)), now + days(600));

  const Instant late = now + days(7 * 365);
  EXPECT_TRUE(must(certificates.renew(late)).authority);
  expect_sound(certificates);
  EXPECT_GE(must(net::valid_until(certificates.authority())), late + days(9 * 365));
  EXPECT_TRUE(must(net::signed_by(certificates.server().certificate_pem, authority)))
      << "who knows only the former certificate still trusts the server";
}

TEST_F(ClusterCertificatesTest, AClockThatJumpsMakesNewOnes) {
  ClusterCertificates certificates = must(open(now + days(50 * 365)));  // it was set wrong
  const auto renewed = must(certificates.renew(now));
  EXPECT_TRUE(renewed.authority && renewed.server && renewed.admin);
  expect_sound(certificates);
  for (const std::string& pem : {certificates.authority(), certificates.server().certificate_pem}) {
    const net::Validity life = must(net::validity(pem));
    EXPECT_TRUE(life.from <= now && now < life.until);
  }
  EXPECT_FALSE(must(certificates.renew(now)).any());
}

TEST_F(ClusterCertificatesTest, ARenewalThatCannotBeKeptChangesNothing) {
  ClusterCertificates certificates = must(open(now));
  const std::string authority = certificates.authority(), server = certificates.server().certificate_pem;
  fs::remove_all(scratch);
  EXPECT_FALSE(certificates.renew(now + days(7 * 365)));
  EXPECT_EQ(certificates.authority(), authority);
  EXPECT_EQ(certificates.server().certificate_pem, server);
}

}  // namespace
}  // namespace basalt::up
