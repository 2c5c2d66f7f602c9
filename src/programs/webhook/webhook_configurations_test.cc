#include "programs/webhook/webhook_configurations.h"

#include <gtest/gtest.h>

#include <string>

#include "kube/api/object_fields.h"
#include "kube/net/certificates.h"
#include "kube/text/base64.h"
#include "kube/text/patch.h"
#include "programs/webhook/answer_review.h"
#include "programs/webhook/match_conditions.h"
#include "programs/webhook/webhook_configuration_plan.h"

namespace basalt::webhook {
namespace {

constexpr Instant kIssued = Instant::from_unix_seconds(1'700'000'000);

std::string authority(std::string_view name) {
  const std::string pem = net::make_authority(name, kIssued).value().certificate_pem;
  return authorities_in(pem).front();
}

std::string condition(std::string_view path, const admission::VolcanoAdmissionOptions& options, size_t index = 0) {
  const text::Array conditions = match_conditions(*webhook_at(path), options);
  return std::string(api::string_at(conditions.at(index).get_object(), "expression"));
}

const text::Object& webhook_in(const text::Object& configuration) {
  return api::array_at(configuration, {"webhooks"})->front().get_object();
}

TEST(Configurations, AreNamedAsInVolcano) {
  EXPECT_EQ(configuration_name("/jobs/mutate"), "volcano-admission-service-jobs-mutate");
  EXPECT_TRUE(is_configuration_name("volcano-admission-service-jobs-mutate"));
  EXPECT_FALSE(is_configuration_name("somebody-elses"));
  const text::Object made = configuration_of(*webhook_at("/jobs/mutate"), {}, {});
  EXPECT_EQ(api::string_at(made, "kind"), "MutatingWebhookConfiguration");
  EXPECT_EQ(text::to_json(*api::object_at(webhook_in(made), {"clientConfig", "service"})),
            R"({"name":"volcano-admission-service","namespace":"volcano-system","path":"/jobs/mutate","port":443})");
}

TEST(Configurations, NeverHoldUpOtherPeoplesPods) {
  for (const admission::Webhook& webhook : admission::webhooks()) {
    const text::Object made = configuration_of(webhook, {}, {});
    const text::Object& one = webhook_in(made);
    const bool pods = webhook.plural == "pods";
    EXPECT_EQ(api::string_at(one, "failurePolicy"), pods ? "Ignore" : "Fail") << webhook.path;
    EXPECT_EQ(one.contains("matchConditions"), pods || webhook.operations != 1U) << webhook.path;
    const std::string selector = text::to_json(*api::object_at(one, {"namespaceSelector"}));
    EXPECT_NE(selector.find(R"("values":["volcano-system","kube-system"])"), std::string::npos) << selector;
  }
}

TEST(Configurations, PodsAreGroupedOnlyWhenThereAreGroups) {
  admission::VolcanoAdmissionOptions options;
  EXPECT_FALSE(is_registered(*webhook_at("/pods/mutate"), options));
  EXPECT_TRUE(is_registered(*webhook_at("/pods/validate"), options));
  options.resource_groups.resize(1);
  EXPECT_TRUE(is_registered(*webhook_at("/pods/mutate"), options));
}

TEST(Configurations, ConditionsSayWhomWeAreAskedFor) {
  admission::VolcanoAdmissionOptions options;
  options.scheduler_names = {"volcano", "a\"b"};
  EXPECT_EQ(condition("/pods/validate", options),
            R"(has(object.spec.schedulerName) && object.spec.schedulerName in ["volcano", "a\"b"])");
  EXPECT_EQ(condition("/pods/mutate", options), "false");
  options.resource_groups = {
      {.name = "m", .key = "namespace", .values = {"x", "y"}, .scheduler_name = "", .labels = {}, .tolerations = {}},
      {.name = "g", .key = "", .values = {}, .scheduler_name = "", .labels = {}, .tolerations = {}}};
  EXPECT_EQ(condition("/pods/mutate", options),
            R"(request.namespace in ["x", "y"] || (has(object.metadata.annotations) && )"
            R"((("volcano.sh/resource-group" in object.metadata.annotations && )"
            R"(object.metadata.annotations["volcano.sh/resource-group"] == "g"))))");
  options.resource_groups[0].values.assign(1, std::string(kMaxConditionBytes, 'n'));
  EXPECT_EQ(condition("/pods/mutate", options), "true");
}

TEST(PemBundle, KeepsCertificatesOnly) {
  const std::string one = authority("one"), two = authority("two");
  EXPECT_EQ(authorities_in("# comment\r\n" + one + "junk" + two + one).size(), 2U);
  EXPECT_TRUE(authorities_in("").empty());
  EXPECT_TRUE(authorities_in("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").empty());
  EXPECT_TRUE(authorities_in(one.substr(0, 100)).empty());
  std::string windows;
  for (const char c : one) windows += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(authorities_in(windows), Authorities{one});
}

TEST(PemBundle, OthersStayWhileTheyAreNeeded) {
  const std::string one = authority("one"), two = authority("two");
  EXPECT_EQ(next_bundle("", {one}, true), one);
  EXPECT_EQ(next_bundle(one, {one}, true), std::nullopt);
  EXPECT_EQ(next_bundle(two, {one}, true), one + two);
  EXPECT_EQ(next_bundle(two + one, {one}, true), std::nullopt);
  EXPECT_EQ(next_bundle(one + two, {one}, false), one);
  EXPECT_EQ(next_bundle("nonsense", {one}, true), one);
}

class ConfigurationPlanTest : public testing::Test {
 protected:
  std::optional<api::Call> plan(std::string_view path = "/jobs/mutate") {
    return plan_configuration({.webhook = *webhook_at(path),
                               .present = present_,
                               .own = own_,
                               .keep_others = keep_others_,
                               .enabled = enabled_,
                               .create = create_,
                               .replace = replace_,
                               .client_config = place_,
                               .options = options_});
  }
  void stand(text::Object object) { present_ = std::make_shared<const text::Value>(std::move(object)); }
  // Carries out an apply or a merge patch.
  void follow(const api::Call& call) {
    if (call.patch == api::PatchType::Apply) return stand(call.body.get_object());
    stand(text::merge_patch(*present_, call.body).get_object());
  }
  static text::Object foreign() {
    text::Object made = configuration_of(*webhook_at("/jobs/mutate"), {}, {});
    api::metadata_of(made).erase("labels");
    api::array_in(made, "webhooks").front().get_object()["failurePolicy"] = "Ignore";
    return made;
  }

  client::ObjectPtr present_;
  Authorities own_{authority("own")};
  bool keep_others_ = true, enabled_ = true, create_ = false, replace_ = false;
  WebhookClientConfig place_;
  admission::VolcanoAdmissionOptions options_;
};

TEST_F(ConfigurationPlanTest, OthersConfigurationsGetOurBundleOnly) {
  EXPECT_FALSE(plan()) << "never made unless asked";
  stand(foreign());
  auto call = plan();
  ASSERT_TRUE(call);
  EXPECT_EQ(call->patch, api::PatchType::Merge);
  follow(*call);
  EXPECT_FALSE(plan());
  const text::Object& one = webhook_in(present_->get_object());
  EXPECT_EQ(api::string_at(one, {"clientConfig", "caBundle"}), text::encode_base64(own_[0]));
  EXPECT_EQ(api::string_at(one, "failurePolicy"), "Ignore");
  EXPECT_EQ(api::string_at(one, {"clientConfig", "service", "path"}), "/jobs/mutate");
  enabled_ = false;
  own_ = {authority("new")};
  EXPECT_FALSE(plan()) << "a path that we do not serve is not ours";
}

TEST_F(ConfigurationPlanTest, WhereAPatchIsForbiddenTheWholeObjectIsWritten) {
  text::Object item = foreign();
  item.erase("kind");
  item.erase("apiVersion");
  api::metadata_of(item)["resourceVersion"] = "7";
  stand(item);
  replace_ = true;
  const auto call = plan();
  ASSERT_TRUE(call);
  EXPECT_EQ(call->verb, api::Verb::Update);
  const text::Object& body = call->body.get_object();
  EXPECT_EQ(api::string_at(body, "kind"), "MutatingWebhookConfiguration");
  EXPECT_EQ(api::string_at(body, {"metadata", "resourceVersion"}), "7");
  EXPECT_TRUE(trust_in(body, own_).all);
}

TEST_F(ConfigurationPlanTest, AskedToTheyAreMadeAndKept) {
  create_ = true;
  auto call = plan();
  ASSERT_TRUE(call);
  EXPECT_EQ(call->patch, api::PatchType::Apply);
  follow(*call);
  EXPECT_FALSE(plan());
  options_.scheduler_names = {"other"};
  EXPECT_FALSE(plan());
  place_.service = "moved";
  call = plan();
  ASSERT_TRUE(call);
  follow(*call);
  EXPECT_FALSE(plan());
  stand(foreign());
  EXPECT_TRUE(plan()) << "taken over";
}

TEST_F(ConfigurationPlanTest, ListsLeaveOutTheKind) {
  create_ = true;
  follow(*plan());
  text::Object item = present_->get_object();
  item.erase("kind");
  item.erase("apiVersion");
  stand(item);
  EXPECT_FALSE(plan());
}

TEST_F(ConfigurationPlanTest, OnlyOurOwnAreDeleted) {
  create_ = true;
  follow(*plan());
  enabled_ = false;
  auto call = plan();
  ASSERT_TRUE(call);
  EXPECT_EQ(call->verb, api::Verb::Delete);
  stand(foreign());
  EXPECT_FALSE(plan());
}

TEST_F(ConfigurationPlanTest, WithoutAnAuthorityNothingIsDone) {
  create_ = true;
  own_.clear();
  EXPECT_FALSE(plan());
}

TEST_F(ConfigurationPlanTest, TrustIsSeen) {
  stand(foreign());
  EXPECT_FALSE(trust_in(present_->get_object(), own_).all);
  follow(*plan());
  EXPECT_TRUE(trust_in(present_->get_object(), own_).all);
  EXPECT_FALSE(trust_in(present_->get_object(), own_).others);
  const Authorities next{authority("next")};
  EXPECT_FALSE(trust_in(present_->get_object(), next).all);
  EXPECT_TRUE(trust_in(present_->get_object(), next).others);
}

}  // namespace
}  // namespace basalt::webhook
