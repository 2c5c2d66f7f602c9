#include "programs/webhook/certificate_plan.h"

#include <gtest/gtest.h>

#include "kube/net/certificates.h"

namespace basalt::webhook {
namespace {

constexpr Instant kStart = Instant::from_unix_seconds(1'700'000'000);
constexpr Duration kDay = Duration::seconds(24 * 3600);

Duration days(int64_t count) { return {kDay.nanos * count}; }

class CertificatePlanTest : public testing::Test {
 protected:
  CertificatePlan plan(Instant now, Instant trusted_since = kNever) {
    auto made = plan_certificate({.seen = secret_ ? &*secret_ : nullptr,
                                  .names = names_,
                                  .trusted_since = trusted_since,
                                  .now = now,
                                  .timing = timing_});
    EXPECT_TRUE(made);
    return made.value_or(CertificatePlan());
  }
  // Follows the plan once; what it wrote.
  bool step(Instant now, Instant trusted_since = kNever) {
    CertificatePlan made = plan(now, trusted_since);
    if (!made.write) return false;
    secret_ = std::move(made.write);
    return true;
  }
  [[nodiscard]] bool is_signed_by(size_t authority) const {
    return net::signed_by(secret_->certificate, authorities_in(secret_->authorities)[authority]).value();
  }
  [[nodiscard]] size_t authorities() const { return authorities_in(secret_->authorities).size(); }

  std::optional<KeyMaterial> secret_;
  std::vector<std::string> names_ = server_names("svc", "ns", "");
  CertificateTiming timing_;
};

TEST_F(CertificatePlanTest, MakesWhatIsNotThere) {
  ASSERT_TRUE(step(kStart));
  EXPECT_TRUE(is_signed_by(0));
  EXPECT_TRUE(net::key_matches(secret_->certificate, secret_->key).value());
  for (const std::string name : {"svc", "svc.ns", "svc.ns.svc"}) {
    EXPECT_TRUE(net::certificate_covers_name(secret_->certificate, name).value()) << name;
  }
  EXPECT_FALSE(net::certificate_covers_name(secret_->certificate, "svc.other").value());
  const CertificatePlan after = plan(kStart);
  EXPECT_TRUE(after.usable);
  EXPECT_FALSE(after.write);
  EXPECT_GT(after.again, kStart + days(200));
}

TEST_F(CertificatePlanTest, WhatIsNotValidYetIsMadeAgainWhenTheClockIsSetBack) {
  ASSERT_TRUE(step(kStart + days(10)));
  EXPECT_FALSE(plan(kStart).usable);
  constexpr int kMaxSteps = 3;
  int steps = 0;
  while (steps < kMaxSteps && step(kStart)) ++steps;
  EXPECT_LT(steps, kMaxSteps);
  const CertificatePlan after = plan(kStart);
  EXPECT_TRUE(after.usable);
  EXPECT_FALSE(after.write);
  EXPECT_LE(net::validity(secret_->certificate).value().from, kStart);
}

TEST_F(CertificatePlanTest, RenewsTheCertificateAfterTwoThirdsOfItsLife) {
  step(kStart);
  EXPECT_FALSE(step(kStart + days(240)));
  const KeyMaterial before = *secret_;
  EXPECT_TRUE(plan(kStart + days(250)).usable);
  ASSERT_TRUE(step(kStart + days(250)));
  EXPECT_NE(secret_->certificate, before.certificate);
  EXPECT_EQ(secret_->authorities, before.authorities);
  EXPECT_FALSE(step(kStart + days(250)));
}

TEST_F(CertificatePlanTest, AnExpiredCertificateIsRenewedAtOnce) {
  step(kStart);
  EXPECT_FALSE(plan(kStart + days(400)).usable);
  ASSERT_TRUE(step(kStart + days(400)));
  EXPECT_TRUE(plan(kStart + days(400)).usable);
}

TEST_F(CertificatePlanTest, ANewNameNeedsANewCertificate) {
  step(kStart);
  names_ = server_names("svc", "ns", "https://10.1.2.3:8443/base");
  EXPECT_FALSE(plan(kStart).usable);
  ASSERT_TRUE(step(kStart));
  EXPECT_TRUE(net::certificate_covers_name(secret_->certificate, "10.1.2.3").value());
  EXPECT_TRUE(plan(kStart).usable);
}

TEST_F(CertificatePlanTest, ANewAuthoritySignsOnlyWhenItIsTrusted) {
  step(kStart);
  Instant now = kStart;
  while (now < kStart + days(2000)) {  // certificates come and go, the authority stays
    now = now + days(245);
    while (step(now)) EXPECT_EQ(authorities(), 1U);
  }
  now = kStart + days(2440);
  while (authorities() == 1) ASSERT_TRUE(step(now));
  EXPECT_EQ(authorities(), 2U);
  EXPECT_TRUE(is_signed_by(1)) << "the old one has signed what is in use";
  EXPECT_TRUE(plan(now).usable);
  EXPECT_FALSE(step(now)) << "nobody trusts the new one yet";
  EXPECT_FALSE(step(now, now)) << "API servers have not heard of it yet";
  EXPECT_EQ(plan(now, now).again, now + timing_.settle);
  ASSERT_TRUE(step(now + timing_.settle, now));
  EXPECT_TRUE(is_signed_by(0));
  EXPECT_EQ(authorities(), 2U) << "other replicas still serve with the old one";
  const Instant later = now + timing_.settle + timing_.overlap;
  EXPECT_FALSE(step(later + Duration{-1} + Duration::seconds(-301), now)) << "certificates begin 300 s early";
  ASSERT_TRUE(step(later, now));
  EXPECT_EQ(authorities(), 1U);
  EXPECT_TRUE(is_signed_by(0));
  EXPECT_FALSE(step(later, now));
}

TEST_F(CertificatePlanTest, ASecretOfVolcanosInstallerIsUsedUntilItGrowsOld) {
  step(kStart);
  secret_->authority_key.clear();
  EXPECT_TRUE(plan(kStart + days(100)).usable);
  EXPECT_FALSE(step(kStart + days(100)));
  const std::string old = secret_->certificate;
  const Instant now = kStart + days(300);
  ASSERT_TRUE(step(now));
  EXPECT_EQ(authorities(), 2U);
  EXPECT_EQ(secret_->certificate, old);
  EXPECT_TRUE(plan(now).usable);
  ASSERT_TRUE(step(now + timing_.settle, now));
  EXPECT_NE(secret_->certificate, old);
  EXPECT_TRUE(is_signed_by(0));
}

TEST_F(CertificatePlanTest, NonsenseIsReplaced) {
  step(kStart);
  const KeyMaterial good = *secret_;
  const auto stranger = net::make_authority("stranger", kStart);
  for (const KeyMaterial& bad :
       {KeyMaterial(), KeyMaterial{.authorities = "x", .authority_key = "y", .certificate = "z", .key = "\0"},
        KeyMaterial{good.authorities, good.authority_key, good.certificate, "no key"},
        KeyMaterial{good.authorities, good.authority_key, good.certificate, good.authority_key},
        KeyMaterial{stranger->certificate_pem, good.authority_key, good.certificate, good.key}}) {
    secret_ = bad;
    EXPECT_FALSE(plan(kStart).usable);
    ASSERT_TRUE(step(kStart));
    EXPECT_TRUE(plan(kStart).usable);
    EXPECT_FALSE(step(kStart));
  }
}

TEST_F(CertificatePlanTest, NamesOfServicesAndUrls) {
  EXPECT_EQ(server_names("s", "n", ""), (std::vector<std::string>{"s.n.svc", "s.n", "s"}));
  EXPECT_EQ(server_names("s", "n", "https://[::1]:8443").back(), "::1");
  EXPECT_EQ(server_names("s", "n", "https://example.org/x").back(), "example.org");
  EXPECT_EQ(server_names("s", "n", "nonsense").size(), 3U);
}

}  // namespace
}  // namespace basalt::webhook
