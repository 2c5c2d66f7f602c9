#include "kube/api/kind_rules.h"

#include <gtest/gtest.h>

#include "kube/api/api_test_values.h"
#include "kube/api/rules/cron_schedule_rules.h"
#include "kube/api/rules/member_access.h"

namespace basalt::api {
namespace {

std::vector<std::string> fields_refused(const KindRules& rules, const text::Object& object) {
  Causes causes;
  rules.validate(object, causes);
  if (rules.validate_create != nullptr) rules.validate_create(object, causes);
  std::vector<std::string> fields;
  for (const Cause& cause : causes.list()) fields.push_back(cause.field);
  return fields;
}

TEST(KindRules, UnknownKindsHaveNone) {
  EXPECT_EQ(rules_of("x", "Y")->validate, nullptr);
  EXPECT_EQ(rules_of("", "Namespace")->name_rule, NameRule::Label);
}

TEST(KindRules, ANamespaceStartsWithItsFinalizerAndLabel) {
  text::Object namespace_object = object_of(R"({"metadata":{"name":"a"},"status":{"phase":"Terminating"}})");
  rules_of("", "Namespace")->prepare_create(namespace_object);
  EXPECT_EQ(text::to_json(namespace_object),
            R"({"metadata":{"name":"a","labels":{"kubernetes.io/metadata.name":"a"}},"status":{"phase":"Active"},)"
            R"("spec":{"finalizers":["kubernetes"]}})");
}

TEST(KindRules, SecretsFoldTheirStrings) {
  text::Object secret = object_of(R"({"stringData":{"a":"b","c":"dd","e":"fff"},"data":{"a":"eA=="},"type":"Opaque"})");
  rules_of("", "Secret")->complete(secret);
  EXPECT_EQ(secret, object_of(R"({"data":{"a":"Yg==","c":"ZGQ=","e":"ZmZm"},"type":"Opaque"})"));
  Causes causes;
  rules_of("", "Secret")->validate_update(object_of(R"({"type":"x"})"), secret, causes);
  EXPECT_EQ(causes.list().at(0).field, "type");
}

TEST(KindRules, ImmutableConfigStays) {
  Causes causes;
  rules_of("", "ConfigMap")
      ->validate_update(object_of(R"({"data":{"a":"c"}})"), object_of(R"({"immutable":true,"data":{"a":"b"}})"),
                        causes);
  EXPECT_EQ(causes.list().size(), 2U);
}

TEST(KindRules, JobsSelectTheirOwnPods) {
  const KindRules& rules = *rules_of("batch", "Job");
  text::Object job = object_of(R"({"metadata":{"name":"j","uid":"u"},"spec":{"template":{"spec":{}}}})");
  rules.complete(job);
  rules.prepare_create(job);
  const text::Object& spec = job["spec"].get_object();
  EXPECT_EQ(spec.at("completions"), text::Value(1));
  EXPECT_EQ(spec.at("backoffLimit"), text::Value(6));
  EXPECT_EQ(spec.at("selector").get_object().at("matchLabels").get_object(),
            (text::Object{{"batch.kubernetes.io/controller-uid", "u"}}));
  const text::Object& labels = spec.at("template").get_object().at("metadata").get_object().at("labels").get_object();
  EXPECT_EQ(labels.at("batch.kubernetes.io/job-name"), "j");
  EXPECT_EQ(labels.size(), 4U);
}

TEST(KindRules, ADeploymentMustSelectItsTemplate) {
  const KindRules& rules = *rules_of("apps", "Deployment");
  text::Object deployment = object_of(
      R"({"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"c"}},
          "spec":{"restartPolicy":"Always","dnsPolicy":"ClusterFirst","containers":[{"name":"c","image":"i",
          "terminationMessagePolicy":"File"}]}}}})");
  rules.complete(deployment);
  EXPECT_EQ(fields_refused(rules, deployment), std::vector<std::string>{"spec.template.metadata.labels"});
  Causes causes;
  text::Object other = deployment;
  other["spec"].get_object()["selector"] = text::Object{{"matchLabels", text::Object{{"a", "c"}}}};
  rules.validate_update(other, deployment, causes);
  EXPECT_EQ(causes.list().at(0).message, R"(Invalid value: {"matchLabels":{"a":"c"}}: field is immutable)");
}

TEST(KindRules, PriorityClassesAreBounded) {
  const KindRules& rules = *rules_of("scheduling.k8s.io", "PriorityClass");
  EXPECT_TRUE(fields_refused(rules, object_of(R"({"metadata":{"name":"a"},"value":1000000000})")).empty());
  EXPECT_EQ(fields_refused(rules, object_of(R"({"metadata":{"name":"a"},"value":1000000001})")).at(0), "value");
  EXPECT_EQ(fields_refused(rules, object_of(R"({"metadata":{"name":"system-a"},"value":1})")).at(0), "metadata.name");
  Causes causes;
  rules.validate_update(object_of(R"({"value":1})"), object_of(R"({"value":2})"), causes);
  EXPECT_EQ(causes.list().at(0).reason, "FieldValueForbidden");
}

TEST(KindRules, LimitRangesFillTheirDefaults) {
  text::Object range =
      object_of(R"({"spec":{"limits":[{"type":"Container","max":{"cpu":"2"},"min":{"memory":"1Mi"}}]}})");
  rules_of("", "LimitRange")->complete(range);
  const text::Object& item = range["spec"].get_object()["limits"].get_array()[0].get_object();
  EXPECT_EQ(item.at("default").get_object(), (text::Object{{"cpu", "2"}}));
  EXPECT_EQ(item.at("defaultRequest").get_object(), (text::Object{{"cpu", "2"}, {"memory", "1Mi"}}));
}

TEST(KindRules, SchedulesOfCron) {
  for (const char* good : {"* * * * *", "*/5 1-3 1,15 jan-mar MON", "@daily", "@every 1h30m", "0/10 * * * *"}) {
    EXPECT_EQ(rules::schedule_complaint(good), "") << good;
  }
  for (const char* bad : {"", "x", "* * * *", "61 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 7",
                          "*/0 * * * *", "5-1 * * * *", "@often", "1-2-3 * * * *", "1/2/3 * * * *"}) {
    EXPECT_NE(rules::schedule_complaint(bad), "") << bad;
  }
}

TEST(KindRules, EmptyAndAbsentAreTheSame) {
  const text::Object left = object_of(R"({"a":{},"b":[],"c":"","d":{"e":null},"x":1})");
  const text::Value right = object_of(R"({"x":1})");
  const text::Value whole = left;
  EXPECT_TRUE(rules::same_value(&whole, &right));
  EXPECT_FALSE(rules::same_member(left, object_of(R"({"x":2})"), "x"));
}

TEST(KindRules, NonsenseNeverCrashes) {
  const std::pair<const char*, const char*> kKinds[] = {{"", "Node"},
                                                        {"", "Service"},
                                                        {"", "PersistentVolume"},
                                                        {"", "PersistentVolumeClaim"},
                                                        {"", "ResourceQuota"},
                                                        {"", "LimitRange"},
                                                        {"apps", "StatefulSet"},
                                                        {"apps", "DaemonSet"},
                                                        {"batch", "Job"},
                                                        {"batch", "CronJob"},
                                                        {"policy", "PodDisruptionBudget"},
                                                        {"networking.k8s.io", "Ingress"},
                                                        {"networking.k8s.io", "NetworkPolicy"},
                                                        {"rbac.authorization.k8s.io", "RoleBinding"},
                                                        {"storage.k8s.io", "CSINode"},
                                                        {"events.k8s.io", "Event"}};
  for (const auto& [group, kind] : kKinds) {
    const KindRules& rules = *rules_of(group, kind);
    for (const char* nonsense : {"{}", R"({"spec":[],"metadata":5,"status":"x"})",
                                 R"({"spec":{"template":[],"rules":[1],"limits":[{}],"ports":[{}],"selector":5}})"}) {
      text::Object object = object_of(nonsense);
      const text::Object old = object;
      Causes causes;
      if (rules.complete != nullptr) rules.complete(object);
      if (rules.prepare_create != nullptr) rules.prepare_create(object);
      if (rules.prepare_update != nullptr) rules.prepare_update(object, old);
      rules.validate(object, causes);
      if (rules.validate_update != nullptr) rules.validate_update(object, old, causes);
      if (rules.validate_status != nullptr) rules.validate_status(object, old, causes);
    }
  }
}

std::vector<std::string> fields_refused_on_update(const KindRules& rules, const text::Object& next,
                                                  const text::Object& old) {
  Causes causes;
  rules.validate(next, causes);
  rules.validate_update(next, old, causes);
  std::vector<std::string> fields;
  for (const Cause& cause : causes.list()) fields.push_back(cause.field);
  return fields;
}

TEST(KindRules, TheOneNetworkOfANodeIsTheFirstOfItsNetworks) {
  const KindRules& rules = *rules_of("", "Node");
  text::Object node = object_of(R"({"spec":{"podCIDR":"10.1.0.0/24","podCIDRs":["10.2.0.0/24"]}})");
  rules.complete(node);
  EXPECT_EQ(node, object_of(R"({"spec":{"podCIDR":"10.1.0.0/24","podCIDRs":["10.1.0.0/24"]}})"));
  node = object_of(R"({"spec":{"podCIDRs":["10.2.0.0/24"]}})");
  rules.complete(node);
  EXPECT_EQ(node, object_of(R"({"spec":{"podCIDRs":["10.2.0.0/24"],"podCIDR":"10.2.0.0/24"}})"));
  EXPECT_EQ(fields_refused(rules, object_of(R"({"spec":{"podCIDRs":["x","10.2.0.0/24"]}})")),
            (std::vector<std::string>{"spec.podCIDRs[0]", "spec.podCIDRs"}));
}

TEST(KindRules, FaultsOfUpdatesAreToldAsOftenAsKubernetesLooks) {
  const text::Object node = object_of(R"({"spec":{"taints":[{"key":"k","effect":"Never"}]}})");
  EXPECT_EQ(fields_refused_on_update(*rules_of("", "Node"), node, object_of("{}")),
            (std::vector<std::string>(2, "metadata.taints[0].effect")));
  const text::Object volume = object_of(R"({"spec":{"capacity":{"storage":"1Gi"},"hostPath":{"path":"/a"}}})");
  EXPECT_EQ(fields_refused_on_update(*rules_of("", "PersistentVolume"), volume, volume),
            (std::vector<std::string>(2, "spec.accessModes")));
}

TEST(KindRules, QuotasCountOnlyWhatTheyKnow) {
  const KindRules& rules = *rules_of("", "ResourceQuota");
  EXPECT_EQ(fields_refused(rules, object_of(R"({"spec":{"hard":{"bananas":"1"}}})")),
            (std::vector<std::string>(2, "spec.hard[bananas]")));
  EXPECT_EQ(fields_refused(rules, object_of(R"({"spec":{"hard":{"storage":"1"}}})")),
            (std::vector<std::string>{"spec.hard[storage]"}));
  EXPECT_TRUE(fields_refused(rules, object_of(R"({"spec":{"hard":{"count/jobs.batch":"1"}}})")).empty());
}

TEST(KindRules, AServiceWithoutAnAddressIgnoresSome) {
  std::vector<std::string> warnings;
  rules_of("", "Service")->warn(object_of(R"({"spec":{"clusterIP":"None","sessionAffinity":"ClientIP"}})"), warnings);
  EXPECT_EQ(warnings.size(), 1U);
}

}  // namespace
}  // namespace basalt::api
