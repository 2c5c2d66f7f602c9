// Certificates and configurations on an API server, step by step in virtual time.
#include "programs/webhook/certificate_reconciler.h"

#include "kube/api/object_fields.h"
#include "kube/net/certificates.h"
#include "kube/text/base64.h"
#include "tests/webhook/webhook_fixture.h"

namespace basalt::tests {
namespace {

using webhook::authorities_in;
using webhook::KeyMaterial;

constexpr Duration kDay = Duration::seconds(24 * 3600);
constexpr std::string_view kSecret = "volcano-admission-secret";

// A reconciler that remembers what it would serve with.
struct Replica {
  Replica(WebhookFixture& fixture, webhook::CertificateReconcilerOptions options,
          const admission::VolcanoAdmissionOptions& rules = {})
      : reconciler(fixture.client(), with(std::move(options)),
                   std::make_shared<const admission::VolcanoAdmissionOptions>(rules)) {}
  webhook::CertificateReconcilerOptions with(webhook::CertificateReconcilerOptions options) {
    options.use = [this](const KeyMaterial& material) {
      served = material;
      return Result<void>();
    };
    return options;
  }
  KeyMaterial served;
  webhook::CertificateReconciler reconciler;
};

class CertificateReconcilerTest : public testing::Test {
 protected:
  static webhook::CertificateReconcilerOptions options() {
    return {.from_files = false,
            .paths = {"/jobs/mutate", "/jobs/validate", "/pods/validate"},
            .create_configurations = true,
            .client_config = {},
            .secret = std::string(kSecret),
            .timing = {},
            .look_every = Duration::seconds(10),
            .use = {},
            .clock = {},
            .log = {}};
  }
  // Lets time pass second by second, for all.
  void pass(Duration time, std::initializer_list<Replica*> replicas) {
    const Instant end = now_ + time;
    for (; now_ < end; now_ = now_ + Duration::seconds(1)) {
      for (Replica* replica : replicas) replica->reconciler.step(now_);
    }
  }
  // Whoever trusts the caBundle trusts the certificate.
  [[nodiscard]] bool trusts(std::string_view path, const KeyMaterial& served) {
    for (const std::string& authority : authorities_in(fixture_.bundle_of(path))) {
      if (net::signed_by(served.certificate, authority).value()) return true;
    }
    return false;
  }
  static KeyMaterial files(std::string_view name, Instant now) {
    const net::KeyPair authority = net::make_authority(name, now).value();
    const net::KeyPair leaf = net::sign_server(authority, {.common_name = "s", .names = {"s"}}, now).value();
    return {.authorities = authority.certificate_pem,
            .authority_key = {},
            .certificate = leaf.certificate_pem,
            .key = leaf.key_pem};
  }

  WebhookFixture fixture_;
  Instant now_ = Instant::from_unix_seconds(1'800'000'000);
};

TEST_F(CertificateReconcilerTest, MakesCertificateAndConfigurations) {
  Replica one(fixture_, options());
  pass(Duration::seconds(3), {&one});
  EXPECT_TRUE(one.reconciler.has_certificate());
  EXPECT_TRUE(one.reconciler.is_trusted());
  EXPECT_TRUE(trusts("/jobs/mutate", one.served));
  EXPECT_TRUE(trusts("/pods/validate", one.served));
  EXPECT_EQ(fixture_.get("mutatingwebhookconfigurations", "volcano-admission-service-pods-mutate"), nullptr);
  const client::ObjectPtr secret = fixture_.get("secrets", std::string(kSecret), "volcano-system");
  ASSERT_NE(secret, nullptr);
  EXPECT_EQ(text::decode_base64(api::string_at(secret->get_object(), {"data", "tls.crt"})), one.served.certificate);
}

TEST_F(CertificateReconcilerTest, ReplicasShareOneCertificate) {
  Replica one(fixture_, options()), two(fixture_, options());
  pass(Duration::seconds(15), {&one, &two});
  EXPECT_TRUE(two.reconciler.has_certificate());
  EXPECT_EQ(one.served.certificate, two.served.certificate);
  EXPECT_EQ(authorities_in(fixture_.bundle_of("/jobs/mutate")).size(), 1U);
}

TEST_F(CertificateReconcilerTest, ATornOffLabelOrACaBundleIsRepaired) {
  Replica one(fixture_, options());
  pass(Duration::seconds(3), {&one});
  const std::string before = fixture_.bundle_of("/jobs/mutate");
  const std::string name = "volcano-admission-service-jobs-mutate";
  text::Value webhooks =
      *api::value_at(fixture_.get("mutatingwebhookconfigurations", name)->get_object(), {"webhooks"});
  webhooks.get_array().at(0).get_object()["clientConfig"].get_object().erase("caBundle");
  fixture_.patch("mutatingwebhookconfigurations", name, "", text::Object{{"webhooks", webhooks}});
  EXPECT_EQ(fixture_.bundle_of("/jobs/mutate"), "");
  pass(Duration::seconds(2), {&one});
  EXPECT_EQ(fixture_.bundle_of("/jobs/mutate"), before);
  fixture_.remove("mutatingwebhookconfigurations", name);
  pass(Duration::seconds(2), {&one});
  EXPECT_EQ(fixture_.bundle_of("/jobs/mutate"), before);
}

TEST_F(CertificateReconcilerTest, ARotationOfTheAuthorityIsTrustedAtEveryMoment) {
  Replica one(fixture_, options()), two(fixture_, options());
  pass(Duration::seconds(15), {&one, &two});
  const std::string first = authorities_in(fixture_.bundle_of("/jobs/mutate")).at(0);
  now_ = now_ + Duration{kDay.nanos * 2400};  // the authority is not old yet
  pass(Duration::seconds(15), {&one, &two});
  now_ = now_ + Duration{kDay.nanos * 40};  // now it is; the certificate is not
  const std::string leaf = one.served.certificate;
  for (int step = 0; step < 200; ++step) {
    (step % 2 == 0 ? one : two).reconciler.step(now_);
    now_ = now_ + Duration::seconds(step < 100 ? 1 : 40);
    for (const std::string_view path : {"/jobs/mutate", "/jobs/validate", "/pods/validate"}) {
      ASSERT_TRUE(trusts(path, one.served) && trusts(path, two.served)) << step;
    }
  }
  EXPECT_EQ(one.served.certificate, two.served.certificate);
  EXPECT_NE(one.served.certificate, leaf);
  now_ = now_ + Duration::seconds(4000);
  pass(Duration::seconds(30), {&one, &two});
  const auto left = authorities_in(fixture_.bundle_of("/jobs/mutate"));
  ASSERT_EQ(left.size(), 1U) << "the old authority is gone";
  EXPECT_NE(left[0], first);
  EXPECT_TRUE(trusts("/jobs/mutate", one.served));
}

TEST_F(CertificateReconcilerTest, ConfigurationsOfOthersAreNotMadeNorChanged) {
  webhook::CertificateReconcilerOptions only_bundles = options();
  only_bundles.create_configurations = false;
  Replica one(fixture_, only_bundles);
  pass(Duration::seconds(3), {&one});
  EXPECT_EQ(fixture_.get("mutatingwebhookconfigurations", "volcano-admission-service-jobs-mutate"), nullptr);
  fixture_.create(
      "mutatingwebhookconfigurations",
      "{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration, "
      "metadata: {name: volcano-admission-service-jobs-mutate}, webhooks: [{name: a.b.c, failurePolicy: Fail, "
      "admissionReviewVersions: [v1], sideEffects: None, clientConfig: {url: 'https://x/jobs/mutate'}}]}");
  fixture_.create("mutatingwebhookconfigurations",
                  "{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration, "
                  "metadata: {name: others}, webhooks: [{name: a.b.c, admissionReviewVersions: [v1], "
                  "sideEffects: None, clientConfig: {url: 'https://x/y'}}]}");
  pass(Duration::seconds(3), {&one});
  EXPECT_TRUE(trusts("/jobs/mutate", one.served));
  const client::ObjectPtr other = fixture_.get("mutatingwebhookconfigurations", "others");
  EXPECT_EQ(text::to_json(*other).find("caBundle"), std::string::npos);
}

// A client that may not patch webhook configurations, as in the roles of Volcano's chart.
class WithoutPatch final : public client::ObjectClient {
 public:
  explicit WithoutPatch(client::ObjectClient& inner) : inner_(inner) {}
  void send(api::Call call, std::function<void(client::ReplyOrError)> done) override {
    if (call.verb == api::Verb::Patch && call.resource.plural.ends_with("configurations")) {
      return done(std::unexpected(api::forbidden(call.resource.group, call.resource.plural, call.name, "no")));
    }
    inner_.send(std::move(call), std::move(done));
  }
  [[nodiscard]] std::unique_ptr<client::Watch> watch(api::Call call,
                                                     std::function<void(client::WatchEvent)> receive) override {
    return inner_.watch(std::move(call), std::move(receive));
  }

 private:
  client::ObjectClient& inner_;
};

TEST_F(CertificateReconcilerTest, UpdatesWhereItMayNotPatch) {
  fixture_.create("mutatingwebhookconfigurations",
                  "{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration, "
                  "metadata: {name: volcano-admission-service-jobs-mutate}, webhooks: [{name: a.b.c, "
                  "admissionReviewVersions: [v1], sideEffects: None, clientConfig: {url: 'https://x/jobs/mutate'}}]}");
  WithoutPatch client(fixture_.client());
  webhook::CertificateReconcilerOptions of_files = options();
  of_files.from_files = true;
  of_files.create_configurations = false;
  of_files.use = [](const KeyMaterial&) { return Result<void>(); };
  webhook::CertificateReconciler reconciler(client, of_files,
                                            std::make_shared<const admission::VolcanoAdmissionOptions>());
  const KeyMaterial material = files("first", now_);
  reconciler.offer(material);
  for (int i = 0; i < 5; ++i, now_ = now_ + Duration::seconds(1)) reconciler.step(now_);
  EXPECT_TRUE(trusts("/jobs/mutate", material));
}

TEST_F(CertificateReconcilerTest, NewFilesAreUsedWhenTheirAuthorityIsTrusted) {
  webhook::CertificateReconcilerOptions of_files = options();
  of_files.from_files = true;
  Replica one(fixture_, of_files);
  const KeyMaterial first = files("first", now_), second = files("second", now_);
  one.reconciler.offer(first);
  pass(Duration::seconds(2), {&one});
  EXPECT_EQ(one.served, first);
  EXPECT_TRUE(trusts("/jobs/mutate", first));
  EXPECT_EQ(fixture_.get("secrets", std::string(kSecret), "volcano-system"), nullptr);
  one.reconciler.offer(second);
  pass(Duration::seconds(5), {&one});
  EXPECT_EQ(one.served, first) << "API servers may not know the second authority yet";
  EXPECT_TRUE(trusts("/jobs/mutate", first) && trusts("/jobs/mutate", second));
  pass(Duration::seconds(10), {&one});
  EXPECT_EQ(one.served, second);
  EXPECT_TRUE(trusts("/jobs/mutate", first)) << "another replica may have the old files";
  pass(Duration::seconds(3700), {&one});
  EXPECT_FALSE(trusts("/jobs/mutate", first));
  EXPECT_TRUE(trusts("/jobs/mutate", second));
}

TEST_F(CertificateReconcilerTest, GroupsBringAndTakeTheConfigurationOfPods) {
  webhook::CertificateReconcilerOptions all = options();
  all.paths.insert("/pods/mutate");
  Replica one(fixture_, all);
  pass(Duration::seconds(3), {&one});
  EXPECT_EQ(fixture_.bundle_of("/pods/mutate"), "");
  admission::VolcanoAdmissionOptions rules;
  rules.resource_groups.push_back({.name = "g", .key = "namespace", .values = {"team"}, .scheduler_name = "volcano"});
  one.reconciler.change_rules(std::make_shared<const admission::VolcanoAdmissionOptions>(rules));
  pass(Duration::seconds(2), {&one});
  EXPECT_TRUE(trusts("/pods/mutate", one.served));
  one.reconciler.change_rules(std::make_shared<const admission::VolcanoAdmissionOptions>());
  pass(Duration::seconds(2), {&one});
  EXPECT_EQ(fixture_.get("mutatingwebhookconfigurations", "volcano-admission-service-pods-mutate"), nullptr);
}

TEST_F(CertificateReconcilerTest, ReplicasWithOtherFlagsDoNotWriteAgainstEachOtherWithoutEnd) {
  int writes = 0;
  webhook::CertificateReconcilerOptions here = options(), there = options();
  here.log = there.log = [&writes](Severity, const std::string& line) {
    if (line.ends_with("jobs-mutate")) ++writes;
  };
  there.client_config.url = "https://10.0.0.7:8443";
  Replica one(fixture_, here), two(fixture_, there);
  pass(Duration::seconds(60), {&one, &two});
  EXPECT_GT(writes, 2);
  EXPECT_LE(writes, 2 * webhook::kMaxWritesInARow * 7);
}

TEST_F(CertificateReconcilerTest, WithoutItsNamespaceItSaysSoAndTriesAgain) {
  std::string log;
  webhook::CertificateReconcilerOptions elsewhere = options();
  elsewhere.client_config.namespace_name = "later";
  elsewhere.log = [&log](Severity, const std::string& line) { log += line + "\n"; };
  Replica one(fixture_, elsewhere);
  pass(Duration::seconds(15), {&one});
  EXPECT_FALSE(one.reconciler.has_certificate());
  EXPECT_NE(log.find("is there a namespace later?"), std::string::npos) << log;
  fixture_.create("namespaces", "{apiVersion: v1, kind: Namespace, metadata: {name: later}}");
  pass(Duration::seconds(15), {&one});
  EXPECT_TRUE(one.reconciler.has_certificate());
  EXPECT_EQ(log.find("PRIVATE KEY"), std::string::npos);
}

}  // namespace
}  // namespace basalt::tests
