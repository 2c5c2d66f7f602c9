#include <gtest/gtest.h>

#include <algorithm>

#include "kube/api/api_test_values.h"
#include "kube/api/kind_rules.h"
#include "kube/api/rules/pod_template.h"
#include "kube/api/schema/defaults.h"
#include "kube/api/schema/normalize.h"

namespace basalt::api {
namespace {

const KindRules& rules_of_pod() { return *rules_of("", "Pod"); }

// A pod as it stands before validation; `spec` and `container` are put over the least that works.
text::Object pod_with(std::string_view spec, std::string_view container = "{}") {
  text::Object first{{"name", "c"}, {"image", "app:1"}};
  const text::Object more = text::parse_json(container).value().get_object();
  for (const auto& member : more) first[member.key()] = member.value();
  text::Object all{{"containers", text::Array{first}}};
  const text::Object over = text::parse_json(spec).value().get_object();
  for (const auto& member : over) all[member.key()] = member.value();
  text::Value pod = text::Object{{"apiVersion", "v1"},
                                 {"kind", "Pod"},
                                 {"metadata", text::Object{{"name", "p"}, {"namespace", "n"}}},
                                 {"spec", all}};
  const Schema* schema = builtin_schemas().find("io.k8s.api.core.v1.Pod");
  EXPECT_TRUE(normalize(*schema, pod).has_value());
  EXPECT_TRUE(apply_defaults(*schema, pod));
  rules_of_pod().complete(pod.get_object());
  rules_of_pod().prepare_create(pod.get_object());
  return pod.get_object();
}

std::vector<std::string> complaints_about(const text::Object& pod) {
  Causes causes;
  rules_of_pod().validate(pod, causes);
  rules_of_pod().validate_create(pod, causes);
  std::vector<std::string> out;
  for (const Cause& cause : causes.list()) out.push_back(cause.field + ": " + cause.message);
  return out;
}

text::Object& container_of(text::Object& pod) { return spec_of(pod)["containers"].get_array()[0].get_object(); }

TEST(PodRules, TheLeastPodIsFine) {
  text::Object pod = pod_with("{}");
  EXPECT_EQ(complaints_about(pod), std::vector<std::string>{});
  EXPECT_EQ(pod["status"].get_object(), (text::Object{{"phase", "Pending"}, {"qosClass", "BestEffort"}}));
  EXPECT_EQ(spec_of(pod)["enableServiceLinks"], text::Value(true));
}

TEST(PodRules, PullPolicyFollowsTheTag) {
  const auto policy = [](std::string_view image) {
    text::Object pod = pod_with("{}", R"({"image":")" + std::string(image) + R"("})");
    return std::string(container_of(pod)["imagePullPolicy"].get_string());
  };
  for (const char* fresh : {"app", "app:latest", "host:5000/app", "Host.io/app", "localhost/a/b"}) {
    EXPECT_EQ(policy(fresh), "Always") << fresh;
  }
  for (const char* kept : {"app:1", "App", "app@sha256:00", "app:1@sha256:00", "host/App"}) {
    EXPECT_EQ(policy(kept), "IfNotPresent") << kept;
  }
}

TEST(PodRules, RequestsComeFromLimitsAndDecideTheQos) {
  text::Object pod = pod_with("{}", R"({"resources":{"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"1"}}})");
  EXPECT_EQ(container_of(pod)["resources"].get_object()["requests"].get_object(),
            (text::Object{{"cpu", "1"}, {"memory", "1Gi"}}));
  EXPECT_EQ(pod["status"].get_object()["qosClass"], "Guaranteed");
  text::Object part = pod_with("{}", R"({"resources":{"requests":{"cpu":"1"}}})");
  EXPECT_EQ(part["status"].get_object()["qosClass"], "Burstable");
}

TEST(PodRules, HostNetworkTakesThePorts) {
  text::Object pod = pod_with(R"({"hostNetwork":true})", R"({"ports":[{"containerPort":80}]})");
  EXPECT_EQ(container_of(pod)["ports"].get_array()[0].get_object()["hostPort"], text::Value(80));
  EXPECT_EQ(complaints_about(pod), std::vector<std::string>{});
}

TEST(PodRules, AccountHasTwoNames) {
  text::Object pod = pod_with(R"({"serviceAccount":"old"})");
  EXPECT_EQ(spec_of(pod)["serviceAccountName"], "old");
}

TEST(PodRules, GatedPodsSayWhyTheyWait) {
  text::Object pod = pod_with(R"({"schedulingGates":[{"name":"a.b/c"}]})");
  EXPECT_EQ(pod["status"].get_object()["conditions"].get_array()[0].get_object()["reason"], "SchedulingGated");
}

struct Wrong {
  const char* spec;
  const char* container;
  const char* complaint;
};

TEST(PodRules, EachMistakeIsNamed) {
  const Wrong kWrong[] = {
      {R"({"containers":[]})", "{}", "spec.containers: Required value"},
      {R"({"containers":[{"name":"a","image":"b"},{"name":"a","image":"b"}]})", "{}",
       "spec.containers[1].name: Duplicate value: \"a\""},
      {R"({"restartPolicy":"x"})", "{}",
       "spec.restartPolicy: Unsupported value: \"x\": supported values: \"Always\", \"OnFailure\", \"Never\""},
      {"{}", R"({"resources":{"limits":{"cpu":"1"},"requests":{"cpu":"2"}}})",
       "spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or equal to cpu limit of 1"},
      {"{}", R"({"resources":{"requests":{"cpu":"-1"}}})",
       "spec.containers[0].resources.requests[cpu]: Invalid value: \"-1\": must be greater than or equal to 0"},
      {"{}", R"({"resources":{"requests":{"nvidia.com/gpu":"1"}}})",
       "spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources"},
      {"{}", R"({"volumeMounts":[{"name":"v","mountPath":"/v"}]})",
       "spec.containers[0].volumeMounts[0].name: Not found: \"v\""},
      {R"({"volumes":[{"name":"v","emptyDir":{},"hostPath":{"path":"/"}}]})", "{}",
       "spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type"},
      {R"({"tolerations":[{"operator":"Exists","value":"v"}]})", "{}",
       "spec.tolerations[0].operator: Invalid value: \"v\": value must be empty when `operator` is 'Exists'"},
      {R"({"schedulingGates":[{"name":"g"}],"nodeName":"n"})", "{}",
       "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"},
      {R"({"activeDeadlineSeconds":0})", "{}",
       "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive"},
      {"{}", R"({"livenessProbe":{"exec":{"command":["x"]},"successThreshold":2}})",
       "spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1"},
      {R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[]}}}})",
       "{}",
       "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: "
       "must have at least one node selector term"},
  };
  for (const Wrong& wrong : kWrong) {
    const std::vector<std::string> found = complaints_about(pod_with(wrong.spec, wrong.container));
    EXPECT_NE(std::ranges::find(found, wrong.complaint), found.end())
        << wrong.complaint << " not among: " << (found.empty() ? "nothing" : found[0]);
  }
}

size_t update_causes(const text::Object& next, const text::Object& old) {
  Causes causes;
  rules_of_pod().validate_update(next, old, causes);
  return causes.list().size();
}

TEST(PodRules, OnlyAFewFieldsMayChange) {
  const text::Object old = pod_with(R"({"activeDeadlineSeconds":100,"tolerations":[{"key":"a","operator":"Exists"}]})");
  text::Object next = old;
  container_of(next)["image"] = "app:2";
  spec_of(next)["activeDeadlineSeconds"] = 50;
  spec_of(next)["tolerations"].get_array().push_back(text::Object{{"key", "b"}, {"operator", "Exists"}});
  EXPECT_EQ(update_causes(next, old), 0U);
  spec_of(next)["nodeName"] = "n";
  EXPECT_EQ(update_causes(next, old), 1U);
  text::Object longer = old;
  spec_of(longer)["activeDeadlineSeconds"] = 200;
  EXPECT_EQ(update_causes(longer, old), 1U);
  text::Object fewer = old;
  spec_of(fewer)["tolerations"].get_array().clear();
  EXPECT_EQ(update_causes(fewer, old), 1U);
}

TEST(PodRules, AGatedPodMayBecomeStricter) {
  const text::Object old = pod_with(R"({"schedulingGates":[{"name":"g"}],"nodeSelector":{"a":"b"}})");
  text::Object next = old;
  spec_of(next)["nodeSelector"].get_object()["c"] = "d";
  spec_of(next).erase("schedulingGates");
  EXPECT_EQ(update_causes(next, old), 0U);
  spec_of(next)["nodeSelector"].get_object()["a"] = "other";
  EXPECT_EQ(update_causes(next, old), 1U);
}

TEST(PodRules, WhatEndedStaysEnded) {
  text::Object old = pod_with(R"({"restartPolicy":"OnFailure"})");
  const auto ended = [](int code) {
    return text::Array{
        text::Object{{"name", "c"}, {"state", text::Object{{"terminated", text::Object{{"exitCode", code}}}}}}};
  };
  old["status"].get_object()["containerStatuses"] = ended(0);
  text::Object next = old;
  next["status"].get_object()["containerStatuses"].get_array()[0].get_object()["state"] =
      text::Object{{"running", text::Object{}}};
  Causes causes;
  rules_of_pod().validate_status(next, old, causes);
  EXPECT_EQ(causes.list().size(), 1U);
  old["status"].get_object()["containerStatuses"] = ended(1);
  Causes none;
  rules_of_pod().validate_status(next, old, none);
  EXPECT_TRUE(none.empty());
}

// What was there is found by what it is, not by a search through the list for each.
TEST(PodRules, LongListsAreComparedInOneGo) {
  text::Object old = pod_with("{}");
  text::Array& tolerations = spec_of(old)["tolerations"].emplace_array();
  text::Array& conditions = old["status"].get_object()["conditions"].emplace_array();
  for (int i = 0; i < 50'000; ++i) {
    tolerations.push_back({{"key", "k" + std::to_string(i)}, {"operator", "Exists"}});
    conditions.push_back({{"type", "t" + std::to_string(i)}, {"status", "True"}, {"observedGeneration", 1}});
  }
  text::Object next = old;
  for (text::Value& toleration : spec_of(next)["tolerations"].get_array()) {
    toleration.get_object()["tolerationSeconds"] = 5;
  }
  for (text::Value& condition : next["status"].get_object()["conditions"].get_array()) {
    condition.get_object().erase("observedGeneration");
  }
  Causes causes;
  rules_of_pod().validate_update(next, old, causes);
  EXPECT_TRUE(causes.empty()) << causes.list().front().message;
  spec_of(next)["tolerations"].get_array()[7].get_object()["key"] = "other";
  rules_of_pod().validate_update(next, old, causes);
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes.list().front().field, "spec.tolerations");
  rules_of_pod().prepare_status(next, old);
  for (const text::Value& condition : next["status"].get_object()["conditions"].get_array()) {
    ASSERT_TRUE(condition.get_object().contains("observedGeneration"));
  }
}

TEST(PodRules, NonsenseNeverCrashes) {
  for (const char* nonsense :
       {"{}", R"({"spec":5})", R"({"spec":{"containers":{"a":1},"volumes":[1,null,[]]}})",
        R"({"spec":{"containers":[{"name":5,"resources":[],"ports":[null],"env":"x"}]},"status":[]})"}) {
    text::Object pod = text::parse_json(nonsense).value().get_object();
    Causes causes;
    rules_of_pod().complete(pod);
    rules_of_pod().prepare_create(pod);
    rules_of_pod().validate(pod, causes);
    rules_of_pod().validate_update(pod, text::Object{}, causes);
    rules_of_pod().validate_status(pod, pod, causes);
    EXPECT_FALSE(causes.empty()) << nonsense;
  }
}

}  // namespace
}  // namespace basalt::api
