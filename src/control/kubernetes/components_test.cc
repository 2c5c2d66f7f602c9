#include <gmock/gmock.h>

#include "control/kubernetes/kubernetes_controller_fixture.h"

namespace basalt::kubernetes {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* kItem = "volcano-system/volcano-scheduler";

std::string deployment(int generation, int replicas, std::string_view app = "volcano-scheduler",
                       std::string_view ns = "volcano-system", std::string_view status = "{}") {
  return fmt::format(
      R"({{"apiVersion":"apps/v1","kind":"Deployment","metadata":{{"name":"volcano-scheduler","namespace":"{}",)"
      R"("uid":"d","resourceVersion":"{}","generation":{}}},"spec":{{"replicas":{},)"
      R"("selector":{{"matchLabels":{{"app":"{}"}}}},"template":{{"metadata":{{"labels":{{"app":"{}"}}}}}}}},)"
      R"("status":{}}})",
      ns, generation, generation, replicas, app, app, status);
}

std::string replica_set(int of_generation, int replicas, std::string_view status = "{}", std::string_view owner = "d") {
  return fmt::format(
      R"({{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{{"name":"volcano-scheduler",)"
      R"("namespace":"volcano-system","uid":"r","resourceVersion":"9","generation":1,)"
      R"("annotations":{{"deployment.kubernetes.io/revision":"{}"}},"ownerReferences":[{{"apiVersion":"apps/v1",)"
      R"("kind":"Deployment","name":"volcano-scheduler","uid":"{}","controller":true}}]}},)"
      R"("spec":{{"replicas":{}}},"status":{}}})",
      of_generation, owner, replicas, status);
}

class Components : public testing::Test {
 protected:
  Components() { fixture.components = {"volcano-scheduler"}; }
  KubernetesControllerFixture fixture;
  const KubernetesController controller = component_controller();
};

TEST_F(Components, ADeploymentOfAPartIsReadyInAllItsReplicasAndHasAReplicaSet) {
  ASSERT_THAT(fixture.see(deployment(1, 2), controller), ElementsAre(kItem));
  EXPECT_THAT(fixture.plan(controller, kItem),
              ElementsAre("create replicasets/volcano-system",
                          StartsWith("patch deployments/volcano-system/volcano-scheduler/status "
                                     R"({"status":{"observedGeneration":1,"replicas":2,"readyReplicas":2,)"
                                     R"("availableReplicas":2,"updatedReplicas":2,"conditions":[{"type":"Available",)"
                                     R"("status":"True",)")));
  const ControllerPlan plan = controller.plan(fixture.context(), kItem, fixture.now);
  const text::Object& set = plan.writes.front().body.get_object();
  EXPECT_EQ(api::string_at(set, {"metadata", "labels", "app"}), "volcano-scheduler");
  EXPECT_EQ(api::int_at(set, {"spec", "replicas"}), 2);
  EXPECT_EQ(api::string_at(set, {"spec", "template", "metadata", "labels", "app"}), "volcano-scheduler");
}

TEST_F(Components, WhatSaysSoAlreadyIsLeftAlone) {
  fixture.see(
      deployment(1, 1, "volcano-scheduler", "volcano-system",
                 R"({"observedGeneration":1,"replicas":1,"readyReplicas":1,"availableReplicas":1,"updatedReplicas":1,)"
                 R"("conditions":[{"type":"Available","status":"True","reason":"MinimumReplicasAvailable",)"
                 R"("message":"a part of the process basalt up"},{"type":"Progressing","status":"True",)"
                 R"("reason":"NewReplicaSetAvailable","message":"a part of the process basalt up"}]})"));
  ASSERT_THAT(fixture.see(replica_set(1, 1), controller), ElementsAre(kItem));
  EXPECT_THAT(fixture.plan(controller, kItem),
              ElementsAre("patch replicasets/volcano-system/volcano-scheduler/status "
                          R"({"status":{"observedGeneration":1,"replicas":1,"readyReplicas":1,"availableReplicas":1,)"
                          R"("fullyLabeledReplicas":1}})"));
  fixture.see(replica_set(1, 1,
                          R"({"observedGeneration":1,"replicas":1,"readyReplicas":1,"availableReplicas":1,)"
                          R"("fullyLabeledReplicas":1})"));
  EXPECT_THAT(fixture.plan(controller, kItem), IsEmpty());
}

TEST_F(Components, TheReplicaSetOfAnotherGenerationOrOwnerIsMadeAnew) {
  fixture.see(deployment(2, 1));
  fixture.see(replica_set(1, 1));
  EXPECT_THAT(
      fixture.plan(controller, kItem),
      ElementsAre(StartsWith("delete replicasets/volcano-system/volcano-scheduler"), StartsWith("patch deployments/")));
  fixture.see(replica_set(2, 1, "{}", "another"));
  EXPECT_THAT(
      fixture.plan(controller, kItem),
      ElementsAre(StartsWith("delete replicasets/volcano-system/volcano-scheduler"), StartsWith("patch deployments/")));
  EXPECT_THAT(fixture.lose("apps", "ReplicaSet", kItem, controller), ElementsAre(kItem));
  EXPECT_THAT(fixture.plan(controller, kItem),
              ElementsAre("create replicasets/volcano-system", StartsWith("patch deployments/")));
}

TEST_F(Components, OthersAreNot) {
  fixture.see(deployment(1, 1, "web"));
  EXPECT_THAT(fixture.plan(controller, kItem), IsEmpty()) << "another program in volcano-system";
  EXPECT_THAT(fixture.see(deployment(1, 1, "volcano-scheduler", "default"), controller), IsEmpty());
  fixture.components.clear();
  EXPECT_THAT(fixture.see(deployment(1, 1), controller), IsEmpty()) << "a process that is no part";
}

}  // namespace
}  // namespace basalt::kubernetes
