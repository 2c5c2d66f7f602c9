// What `basalt up` shows of itself: its policy, and its parts as guides look for them.
#include <gmock/gmock.h>

#include <fstream>

#include "control/scheduler/state/conf.h"
#include "kube/api/object_fields.h"
#include "kube/text/yaml.h"
#include "tests/whole/standalone_fixture.h"

namespace basalt::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const api::GroupVersionResource kConfigMaps{.group = "", .version = "v1", .plural = "configmaps"};
const api::GroupVersionResource kDeployments{.group = "apps", .version = "v1", .plural = "deployments"};
constexpr const char* kSystem = "volcano-system";
constexpr const char* kPolicyLine = "scheduler: ConfigMap key volcano-scheduler.conf: policy loaded";

class VisibleParts : public testing::Test {
 protected:
  VisibleParts() { fixture.options.components.local_node = false; }

  client::ReplyOrError get(const api::GroupVersionResource& resource, const std::string& name) {
    return fixture.client().call(
        {.verb = api::Verb::Get, .resource = resource, .namespace_name = kSystem, .name = name});
  }
  // The event comes after the line.
  void wait_for_policy() {
    WatchedObjects events(fixture.client(), {.group = "", .version = "v1", .plural = "events"});
    EXPECT_TRUE(
        events.wait_any([](const text::Object& event) { return api::string_at(event, "reason") == "PolicyLoaded"; }));
  }
  std::string log_of(const std::string& pod) {
    return fixture.page("/api/v1/namespaces/volcano-system/pods/" + pod + "/log");
  }
  StandaloneFixture fixture;
};

TEST_F(VisibleParts, ThePolicyIsThereFromTheStart) {
  fixture.start();
  const client::ReplyOrError map = get(kConfigMaps, "volcano-scheduler-configmap");
  ASSERT_TRUE(map.has_value()) << map.error().message;
  EXPECT_EQ(api::string_at(map->object->get_object(), {"data", "volcano-scheduler.conf"}), state::kBuiltInConf);
}

// The file rules; what people see where they look for the policy is the file's text.
TEST_F(VisibleParts, APolicyFileIsShownInTheConfigMapAndGoesWithIt) {
  const auto conf_now = [this] {
    const client::ReplyOrError map = get(kConfigMaps, "volcano-scheduler-configmap");
    return map ? std::string(api::string_at(map->object->get_object(), {"data", "volcano-scheduler.conf"})) : "";
  };
  const std::string file = (fixture.directory() / "mine.conf").string();
  const auto write = [&](std::string_view content) { std::ofstream(file, std::ios::trunc) << content; };
  write("actions: \"enqueue, allocate, shuffle\"\n");
  fixture.options.components.scheduler_conf = file;
  fixture.start();
  EXPECT_EQ(conf_now(), "actions: \"enqueue, allocate, shuffle\"\n");
  WatchedObjects events(fixture.client(), {.group = "", .version = "v1", .plural = "events"});
  const auto is_told = [](std::string_view reason) {
    return [reason](const text::Object& event) {
      return api::string_at(event, "reason") == reason &&
             api::string_at(event, {"involvedObject", "name"}) == "volcano-scheduler-configmap";
    };
  };
  EXPECT_TRUE(events.wait_any(is_told("PolicySkipped")));

  WatchedObjects maps(fixture.client(), kConfigMaps);
  write("actions: \"enqueue, allocate\"\n");
  EXPECT_TRUE(maps.wait("volcano-scheduler-configmap", [](const text::Object& map) {
    return api::string_at(map, {"data", "volcano-scheduler.conf"}) == "actions: \"enqueue, allocate\"\n";
  }));
  write("actions: \"enqueue, alocate, and more\"\n");
  EXPECT_TRUE(maps.wait("volcano-scheduler-configmap", [](const text::Object& map) {
    return !api::string_at(map, {"metadata", "annotations", "basalt.sh/policy-refused"}).empty();
  }));
  EXPECT_EQ(conf_now(), "actions: \"enqueue, allocate\"\n") << "what is in force";
  EXPECT_TRUE(events.wait_any(is_told("PolicyRefused")));
}

TEST_F(VisibleParts, TheComponentsArePodsThatAreReadyAndHaveLogs) {
  fixture.start();
  WatchedObjects pods(fixture.client(), StandaloneFixture::kPods);
  for (const char* name : {"volcano-admission-0", "volcano-controllers-0", "volcano-scheduler-0"}) {
    EXPECT_TRUE(
        pods.wait(name, [](const text::Object& pod) { return api::string_at(pod, {"status", "phase"}) == "Running"; }));
  }
  const client::ReplyOrError deployment = get(kDeployments, "volcano-scheduler");
  ASSERT_TRUE(deployment.has_value()) << deployment.error().message;
  EXPECT_EQ(api::string_at(deployment->object->get_object(), {"spec", "selector", "matchLabels", "app"}),
            "volcano-scheduler");
  WatchedObjects deployments(fixture.client(), kDeployments);
  EXPECT_TRUE(deployments.wait("volcano-scheduler", [](const text::Object& seen) {
    return api::int_at(seen, {"status", "readyReplicas"}) == 1;
  }));
  wait_for_policy();
  EXPECT_THAT(log_of("volcano-scheduler-0"), HasSubstr(kPolicyLine));
}

// A node removes logs of pods that are not its own when it starts. That is begun before its Node exists, hence before
// any pod runs there, and over when it has stopped.
TEST_F(VisibleParts, ALocalNodeLeavesTheLogsOfTheComponentsAlone) {
  fixture.options.components.local_node = true;
  fixture.start();
  wait_for_policy();
  WatchedObjects jobs(fixture.client(), StandaloneFixture::kJobs);
  fixture.create(StandaloneFixture::kJobs, "default",
                 StandaloneFixture::gang("real", 1, "{name: c, image: none, command: [\"true\"]}", ""));
  EXPECT_TRUE(
      jobs.wait("real", [](const text::Object& job) { return StandaloneFixture::has_phase(job, "Completed"); }));
  fixture.stop();
  fixture.start();
  wait_for_policy();
  const std::string log = log_of("volcano-scheduler-0");
  const size_t first = log.find(kPolicyLine);
  ASSERT_NE(first, std::string::npos) << log;
  EXPECT_NE(log.find(kPolicyLine, first + 1), std::string::npos) << "the line of the first start is gone: " << log;
}

TEST_F(VisibleParts, WhatTheWebhooksRefuseIsInTheirLog) {
  fixture.start();
  const client::ReplyOrError refused = fixture.client().call(
      {.verb = api::Verb::Create,
       .resource = StandaloneFixture::kJobs,
       .namespace_name = "default",
       .body = text::parse_yaml("{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: none}, spec: "
                                "{minAvailable: 3, tasks: [{name: a, replicas: 1, template: {spec: {containers: "
                                "[{name: c, image: x}]}}}]}}")
                   .value()
                   .value});
  ASSERT_FALSE(refused.has_value());
  const std::string log = log_of("volcano-admission-0");
  EXPECT_THAT(log, HasSubstr("the API server of this process asks"));
  EXPECT_THAT(log, HasSubstr("validatejob.volcano.sh denied create of jobs default/none by"));
}

TEST_F(VisibleParts, ChartsLearnWhoBroughtTheDefinitions) {
  fixture.start();
  const client::ReplyOrError definition = fixture.client().call(
      {.verb = api::Verb::Get,
       .resource = {.group = "apiextensions.k8s.io", .version = "v1", .plural = "customresourcedefinitions"},
       .name = "jobs.batch.volcano.sh"});
  ASSERT_TRUE(definition.has_value()) << definition.error().message;
  const text::Object& seen = definition->object->get_object();
  EXPECT_EQ(api::string_at(seen, {"metadata", "annotations", "meta.helm.sh/release-name"}), "volcano");
  EXPECT_EQ(api::string_at(seen, {"metadata", "annotations", "basalt.sh/brought-by"}), "basalt-up");
}

TEST_F(VisibleParts, AWorkloadThatNobodyRunsIsAnsweredWithAWarning) {
  fixture.start();
  api::Call call{.verb = api::Verb::Create, .resource = kDeployments};
  call.namespace_name = "default";
  text::Object labels{{"a", "b"}};
  call.body = text::Object{
      {"apiVersion", "apps/v1"},
      {"kind", "Deployment"},
      {"metadata", text::Object{{"name", "web"}}},
      {"spec",
       text::Object{
           {"selector", text::Object{{"matchLabels", labels}}},
           {"template", text::Object{{"metadata", text::Object{{"labels", labels}}},
                                     {"spec", text::Object{{"containers", text::Array{text::Object{
                                                                              {"name", "c"}, {"image", "i"}}}}}}}}}}};
  const client::ReplyOrError made = fixture.client().call(std::move(call));
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_THAT(made->warnings, ElementsAre(HasSubstr("nobody runs a Deployment in this cluster")));
}

TEST_F(VisibleParts, AQueueWithRunningJobsIsNotDeletedAndTheRefusalSaysHow) {
  fixture.options.components.simulated = {*node::parse_simulated_group("1:cpu=8,memory=32Gi,name=sim")};
  fixture.options.components.run_seconds = "100000";
  fixture.start();
  fixture.create(StandaloneFixture::kQueues, "",
                 "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: lab}}");
  fixture.create(
      StandaloneFixture::kJobs, "default",
      "{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: busy}, spec: {minAvailable: 1, queue: "
      "lab, tasks: [{name: w, replicas: 1, template: {spec: {restartPolicy: Never, containers: [{name: c, image: "
      "i, resources: {requests: {cpu: 1}}}]}}}]}}");
  WatchedObjects queues(fixture.client(), StandaloneFixture::kQueues);
  EXPECT_TRUE(queues.wait(
      "lab", [](const text::Object& queue) { return api::string_at(queue, {"status", "allocated", "pods"}) == "1"; }));
  const client::ReplyOrError refused =
      fixture.client().call({.verb = api::Verb::Delete, .resource = StandaloneFixture::kQueues, .name = "lab"});
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("queue lab cannot be deleted because it has allocated Pods: 1 (close "
                                                 "it first"));
}

}  // namespace
}  // namespace basalt::tests
