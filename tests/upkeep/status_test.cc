// What upkeep writes into objects, and what it deletes when time is up.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "kube/text/rfc3339.h"
#include "tests/upkeep/small_cluster.h"

namespace basalt {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string pod(std::string_view name, std::string_view more_metadata, std::string_view spec) {
  return fmt::format(
      "{{apiVersion: v1, kind: Pod, metadata: {{name: {}, namespace: default{}}}, spec: {{{}containers: [{{name: c, "
      "image: i, resources: {{requests: {{cpu: 500m, memory: 1Gi}}}}}}]}}}}",
      name, more_metadata, spec);
}

TEST(Quotas, CountWhatIsThere) {
  KubeControllersFixture cluster;
  cluster.create(pod("before", "", ""));
  cluster.create(
      "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: default}, spec: {hard: {pods: 10, cpu: 4, "
      "requests.memory: 8Gi, count/configmaps: 5, services: 2}}}");
  cluster.create(
      "{apiVersion: v1, kind: ResourceQuota, metadata: {name: best, namespace: default}, spec: {hard: {pods: 10}, "
      "scopes: [BestEffort]}}");
  cluster.settle();
  EXPECT_EQ(cluster.at("v1/resourcequotas/default/q", "status.hard.cpu"), "4");
  cluster.create(pod("a", "", ""));
  cluster.create(pod("b", "", ""));
  cluster.create("{apiVersion: v1, kind: ConfigMap, metadata: {name: m, namespace: default}}");
  cluster.settle();
  const auto used = [&](std::string_view what) {
    return cluster.at("v1/resourcequotas/default/q", fmt::format("status.used.{}", what));
  };
  EXPECT_EQ(used("pods"), "3");
  EXPECT_EQ(used("cpu"), "1500m");
  EXPECT_EQ(used("count/configmaps"), "1");
  EXPECT_EQ(used("services"), "0");
  EXPECT_THAT(cluster.at("v1/resourcequotas/default/q", "status.used"), HasSubstr(R"("requests.memory":"3Gi")"));
  EXPECT_EQ(cluster.at("v1/resourcequotas/default/best", "status.used.pods"), "0");
  cluster.patch("v1/pods/default/a", R"({"status":{"phase":"Succeeded"}})", "status");
  cluster.remove("v1/pods/default/b");
  cluster.settle();
  EXPECT_EQ(used("pods"), "1");
  EXPECT_EQ(used("cpu"), "500m");
  cluster.patch("v1/resourcequotas/default/q", R"({"spec":{"hard":{"cpu":null,"secrets":"3"}}})");
  cluster.settle();
  EXPECT_EQ(used("cpu"), "");
  EXPECT_EQ(used("secrets"), "0");
  EXPECT_EQ(cluster.settle(), 0U);
}

TEST(Events, GoAnHourAfterTheyHappenedLast) {
  KubeControllersFixture cluster;
  const std::string now = text::format_time(cluster.now());
  for (int i = 0; i < 3; ++i) {
    cluster.create(
        fmt::format("{{apiVersion: v1, kind: Event, metadata: {{name: e{}, namespace: default}}, involvedObject: "
                    "{{kind: Pod, name: "
                    "p, namespace: default}}, reason: R, type: Normal, lastTimestamp: '{}'}}",
                    i, now));
  }
  cluster.create(
      "{apiVersion: v1, kind: Event, metadata: {name: future, namespace: default}, involvedObject: {kind: Pod, name: "
      "p, "
      "namespace: default}, reason: R, type: Normal, lastTimestamp: '2200-01-01T00:00:00Z'}");
  cluster.pass(Duration::seconds(1800));
  cluster.patch("v1/events/default/e1",
                fmt::format(R"({{"count":2,"lastTimestamp":"{}"}})", text::format_time(cluster.now())));
  cluster.pass(Duration::seconds(1801));
  EXPECT_FALSE(cluster.exists("v1/events/default/e0"));
  EXPECT_TRUE(cluster.exists("v1/events/default/e1"));
  EXPECT_FALSE(cluster.exists("v1/events/default/future"));
  cluster.pass(Duration::seconds(1800));
  EXPECT_FALSE(cluster.exists("v1/events/default/e1"));
}

constexpr std::string_view kReady = R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})";

TEST(Budgets, FollowThePodsAndTheirControllers) {
  KubeControllersFixture cluster;
  const std::string set = cluster.create(
      "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web, namespace: default}, spec: {replicas: 3, "
      "selector: "
      "{matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: "
      "i}]}}}}");
  const std::string owner = fmt::format(
      ", labels: {{app: web}}, ownerReferences: [{{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: {}, "
      "controller: true}}]",
      set);
  for (const std::string_view name : {"w1", "w2", "w3"}) cluster.create(pod(name, owner, ""));
  cluster.create(
      "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: some, namespace: default}, spec: "
      "{maxUnavailable: 34%, selector: {matchLabels: {app: web}}}}");
  cluster.create(
      "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: two, namespace: default}, spec: "
      "{minAvailable: 2, selector: {matchLabels: {app: web}}}}");
  cluster.settle();
  const std::string some = "policy/v1/poddisruptionbudgets/default/some";
  const std::string two = "policy/v1/poddisruptionbudgets/default/two";
  EXPECT_EQ(cluster.at(some, "status.expectedPods"), "3");
  EXPECT_EQ(cluster.at(some, "status.desiredHealthy"), "1");
  EXPECT_EQ(cluster.at(some, "status.disruptionsAllowed"), "0");
  EXPECT_EQ(cluster.at(some, "status.observedGeneration"), "1");
  for (const std::string name : {"w1", "w2", "w3"}) cluster.patch("v1/pods/default/" + name, kReady, "status");
  cluster.settle();
  EXPECT_EQ(cluster.at(some, "status.disruptionsAllowed"), "2");
  EXPECT_EQ(cluster.at(two, "status.disruptionsAllowed"), "1");
  EXPECT_EQ(cluster.at(two, "status.conditions.0.reason"), "SufficientPods");
  EXPECT_EQ(cluster.settle(), 0U);

  cluster.patch(two,
                fmt::format(R"({{"status":{{"disruptionsAllowed":0,"disruptedPods":{{"w1":"{}"}}}}}})",
                            text::format_time(cluster.now())),
                "status");
  cluster.settle();
  EXPECT_EQ(cluster.at(two, "status.disruptionsAllowed"), "0");
  EXPECT_EQ(cluster.at(two, "status.currentHealthy"), "2");
  cluster.pass(Duration::seconds(125));
  EXPECT_EQ(cluster.at(two, "status.disruptionsAllowed"), "1") << "the eviction was granted and never happened";
  EXPECT_EQ(cluster.at(two, "status.disruptedPods.w1"), "");
}

void renew(KubeControllersFixture& cluster, const std::string& node) {
  cluster.patch("coordination.k8s.io/v1/leases/kube-node-lease/" + node,
                fmt::format(R"({{"spec":{{"renewTime":"{}"}}}})", text::format_micro_time(cluster.now())));
}

TEST(Nodes, ThatFallSilentAreTaintedAndTheirPodsGoAfterTheirToleration) {
  KubeControllersFixture cluster;
  cluster.create("{apiVersion: v1, kind: Node, metadata: {name: n1}}");
  cluster.settle();
  EXPECT_EQ(cluster.at("v1/nodes/n1", "spec.taints.0.key"), "node.kubernetes.io/not-ready");
  cluster.patch("v1/nodes/n1", kReady, "status");
  cluster.create(
      fmt::format("{{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {{name: n1, namespace: "
                  "kube-node-lease}}, spec: {{holderIdentity: n1, leaseDurationSeconds: 40, renewTime: "
                  "'{}'}}}}",
                  text::format_micro_time(cluster.now())));
  cluster.create(pod("p", "", "nodeName: n1, "));
  cluster.create(pod("patient", "", "nodeName: n1, tolerations: [{operator: Exists}], "));
  cluster.settle();
  EXPECT_EQ(cluster.at("v1/nodes/n1", "spec.taints"), "");
  for (int i = 0; i < 4; ++i) {
    cluster.pass(Duration::seconds(30));
    renew(cluster, "n1");
  }
  cluster.pass(Duration::seconds(39));
  EXPECT_EQ(cluster.at("v1/nodes/n1", "status.conditions.0.status"), "True");
  cluster.pass(Duration::seconds(2));
  EXPECT_EQ(cluster.at("v1/nodes/n1", "status.conditions.0.status"), "Unknown");
  EXPECT_EQ(cluster.at("v1/nodes/n1", "status.conditions.0.reason"), "NodeStatusUnknown");
  EXPECT_EQ(cluster.at("v1/nodes/n1", "spec.taints.1.key"), "node.kubernetes.io/unreachable");
  EXPECT_EQ(cluster.at("v1/nodes/n1", "spec.taints.1.effect"), "NoExecute");
  cluster.pass(Duration::seconds(290));
  EXPECT_EQ(cluster.at("v1/pods/default/p", "metadata.deletionTimestamp"), "");
  cluster.pass(Duration::seconds(11));
  EXPECT_NE(cluster.at("v1/pods/default/p", "metadata.deletionTimestamp"), "");
  EXPECT_THAT(cluster.at("v1/pods/default/p", "status.conditions"), HasSubstr("DeletionByTaintManager"));
  EXPECT_EQ(cluster.at("v1/pods/default/patient", "metadata.deletionTimestamp"), "");
  renew(cluster, "n1");
  cluster.patch("v1/nodes/n1", kReady, "status");
  cluster.settle();
  EXPECT_EQ(cluster.at("v1/nodes/n1", "spec.taints"), "");
}

TEST(Nodes, MadeByHandStayAsTheyAre) {
  KubeControllersFixture cluster;
  cluster.create(
      "{apiVersion: v1, kind: Node, metadata: {name: hand}, status: {conditions: [{type: Ready, status: 'True'}]}}");
  cluster.create("{apiVersion: v1, kind: Node, metadata: {name: mute}}");
  cluster.pass(Duration::seconds(3600));
  EXPECT_EQ(cluster.at("v1/nodes/hand", "spec.taints"), "");
  EXPECT_EQ(cluster.at("v1/nodes/hand", "status.conditions.0.status"), "True");
  EXPECT_EQ(cluster.at("v1/nodes/mute", "status.conditions"), "");
  EXPECT_EQ(cluster.at("v1/nodes/mute", "spec.taints.0.effect"), "NoSchedule");
  cluster.patch("v1/nodes/hand", R"({"spec":{"unschedulable":true}})");
  cluster.settle();
  EXPECT_EQ(cluster.at("v1/nodes/hand", "spec.taints.0.key"), "node.kubernetes.io/unschedulable");
}

TEST(Pods, OfALostNodeGoAfterAWhile) {
  KubeControllersFixture cluster;
  cluster.create("{apiVersion: v1, kind: Node, metadata: {name: n1}}");
  cluster.create(pod("p", "", "nodeName: n1, "));
  cluster.pass(Duration::seconds(60));
  cluster.remove("v1/nodes/n1");
  cluster.pass(Duration::seconds(39));
  EXPECT_TRUE(cluster.exists("v1/pods/default/p"));
  cluster.pass(Duration::seconds(2));
  EXPECT_FALSE(cluster.exists("v1/pods/default/p"));
}

TEST(Pods, ThatAreDoneAreKeptUpToALimit) {
  KubeControllersFixture cluster({.terminated_pods = 2});
  for (const std::string name : {"d", "c", "b", "a"}) {
    cluster.create(pod(name, "", ""));
    cluster.patch("v1/pods/default/" + name, R"({"status":{"phase":"Succeeded"}})", "status");
    cluster.pass(Duration::seconds(10));
  }
  EXPECT_FALSE(cluster.exists("v1/pods/default/d"));
  EXPECT_FALSE(cluster.exists("v1/pods/default/c"));
  EXPECT_TRUE(cluster.exists("v1/pods/default/b"));
  EXPECT_TRUE(cluster.exists("v1/pods/default/a"));
}

}  // namespace
}  // namespace basalt
