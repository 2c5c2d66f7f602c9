// What `basalt up` shows of itself: its policy, and its parts as guides look for them.
#include <gmock/gmock.h>

#include "control/scheduler/state/conf.h"
#include "kube/api/object_fields.h"
#include "tests/whole/whole_world.h"

namespace basalt::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const api::ResourceName kConfigMaps{.group = "", .version = "v1", .plural = "configmaps"};
const api::ResourceName kDeployments{.group = "apps", .version = "v1", .plural = "deployments"};
constexpr const char* kSystem = "volcano-system";

class VisibleParts : public testing::Test {
 protected:
  VisibleParts() { world.options.crew.local_node = false; }

  client::Outcome get(const api::ResourceName& resource, const std::string& name) {
    return world.client().call({.verb = api::Verb::Get, .resource = resource, .namespace_name = kSystem, .name = name});
  }
  WholeWorld world;
};

TEST_F(VisibleParts, ThePolicyIsThereFromTheStart) {
  world.start();
  const client::Outcome map = get(kConfigMaps, "volcano-scheduler-configmap");
  ASSERT_TRUE(map.has_value()) << map.error().message;
  EXPECT_EQ(api::string_at(map->object->get_object(), {"data", "volcano-scheduler.conf"}), state::kBuiltInConf);
}

TEST_F(VisibleParts, TheComponentsArePodsThatAreReadyAndHaveLogs) {
  world.start();
  Seen pods(world.client(), WholeWorld::kPods);
  for (const char* name : {"volcano-admission-0", "volcano-controllers-0", "volcano-scheduler-0"}) {
    EXPECT_TRUE(
        pods.wait(name, [](const text::Object& pod) { return api::string_at(pod, {"status", "phase"}) == "Running"; }));
  }
  const client::Outcome deployment = get(kDeployments, "volcano-scheduler");
  ASSERT_TRUE(deployment.has_value()) << deployment.error().message;
  EXPECT_EQ(api::string_at(deployment->object->get_object(), {"spec", "selector", "matchLabels", "app"}),
            "volcano-scheduler");
  Seen deployments(world.client(), kDeployments);
  EXPECT_TRUE(deployments.wait("volcano-scheduler", [](const text::Object& seen) {
    return api::int_at(seen, {"status", "readyReplicas"}) == 1;
  }));
  // The event comes after the line.
  Seen events(world.client(), {.group = "", .version = "v1", .plural = "events"});
  EXPECT_TRUE(
      events.wait_any([](const text::Object& event) { return api::string_at(event, "reason") == "PolicyLoaded"; }));
  const std::string log = world.page("/api/v1/namespaces/volcano-system/pods/volcano-scheduler-0/log");
  EXPECT_THAT(log, HasSubstr("scheduler: ConfigMap key volcano-scheduler.conf: policy loaded"));
}

TEST_F(VisibleParts, ChartsLearnWhoBroughtTheDefinitions) {
  world.start();
  const client::Outcome definition = world.client().call(
      {.verb = api::Verb::Get,
       .resource = {.group = "apiextensions.k8s.io", .version = "v1", .plural = "customresourcedefinitions"},
       .name = "jobs.batch.volcano.sh"});
  ASSERT_TRUE(definition.has_value()) << definition.error().message;
  const text::Object& seen = definition->object->get_object();
  EXPECT_EQ(api::string_at(seen, {"metadata", "annotations", "meta.helm.sh/release-name"}), "volcano");
  EXPECT_EQ(api::string_at(seen, {"metadata", "annotations", "basalt.sh/brought-by"}), "basalt-up");
}

TEST_F(VisibleParts, AWorkloadThatNobodyRunsIsAnsweredWithAWarning) {
  world.start();
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
  const client::Outcome made = world.client().call(std::move(call));
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_THAT(made->warnings, ElementsAre(HasSubstr("nobody runs a Deployment in this cluster")));
}

TEST_F(VisibleParts, AQueueWithRunningJobsIsNotDeletedAndTheRefusalSaysHow) {
  world.options.crew.simulated = {*node::parse_simulated_group("1:cpu=8,memory=32Gi,name=sim")};
  world.options.crew.run_seconds = "100000";
  world.start();
  world.create(WholeWorld::kQueues, "",
               "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: lab}}");
  world.create(
      WholeWorld::kJobs, "default",
      "{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: busy}, spec: {minAvailable: 1, queue: "
      "lab, tasks: [{name: w, replicas: 1, template: {spec: {restartPolicy: Never, containers: [{name: c, image: "
      "i, resources: {requests: {cpu: 1}}}]}}}]}}");
  Seen queues(world.client(), WholeWorld::kQueues);
  EXPECT_TRUE(queues.wait(
      "lab", [](const text::Object& queue) { return api::string_at(queue, {"status", "allocated", "pods"}) == "1"; }));
  const client::Outcome refused =
      world.client().call({.verb = api::Verb::Delete, .resource = WholeWorld::kQueues, .name = "lab"});
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("queue lab cannot be deleted because it has allocated Pods: 1 (close "
                                                 "it first"));
}

}  // namespace
}  // namespace basalt::tests
