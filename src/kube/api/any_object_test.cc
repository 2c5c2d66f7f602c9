#include "kube/api/any_object.h"

#include <gtest/gtest.h>

namespace basalt::api {
namespace {

constexpr std::string_view kStream = R"(
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: q, namespace: ignored}
spec:
  weight: 3
  reclaimable: false
  parent: root
  priority: 4
  capability: {cpu: 4}
  guarantee: {resource: {cpu: 1}}
  affinity:
    nodeGroupAffinity:
      requiredDuringSchedulingIgnoredDuringExecution: [a]
      preferredDuringSchedulingIgnoredDuringExecution: [b]
    nodeGroupAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [c]}
status: {state: Open, allocated: {cpu: "2"}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: g}
spec:
  minMember: 3
  minTaskMember: {worker: 2}
  queue: q
  minResources: {cpu: 3}
  networkTopology: {mode: hard, highestTierAllowed: 2}
  subGroupPolicy:
  - {name: s, subGroupSize: 2, minSubGroups: 1, matchLabelKeys: [k], labelSelector: {matchLabels: {a: b}}}
status: {phase: Inqueue, running: 1, conditions: [{type: Scheduled, transitionID: t}]}
---
apiVersion: topology.volcano.sh/v1alpha1
kind: HyperNode
metadata: {name: s0}
spec:
  tier: 1
  tierName: rack
  members:
  - {type: Node, selector: {exactMatch: {name: n0}}}
  - {type: Node, selector: {regexMatch: {pattern: "n[0-9]"}}}
  - {type: Node, selector: {labelMatch: {matchLabels: {rack: r}}}}
---
kind: List
apiVersion: v1
items:
- {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 100, globalDefault: true}
- {apiVersion: v1, kind: ResourceQuota, metadata: {name: rq}, spec: {hard: {requests.cpu: 4}, scopes: [BestEffort],
   scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In, values: [high]}]}},
   status: {used: {requests.cpu: 1}}}
- {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {selector: {}},
   status: {disruptionsAllowed: 2, disruptedPods: {p: 2024-05-01T12:00:00Z}}}
- {apiVersion: v1, kind: Namespace, metadata: {name: ns, labels: {team: a}}}
- {apiVersion: v1, kind: PersistentVolume, metadata: {name: pv}}
- {apiVersion: example.com/v1, kind: Widget, metadata: {name: w}}
- {apiVersion: v1, kind: Node, metadata: {name: n0},
   spec: {unschedulable: true, taints: [{key: k, effect: NoSchedule}]},
   status: {images: [{names: [i], sizeBytes: 5000000000}], conditions: [{type: Ready, status: "True"}]}}
)";

class KindsTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto documents = text::parse_documents(kStream);
    ASSERT_TRUE(documents) << documents.error().message;
    auto objects = decode_all(*documents);
    ASSERT_TRUE(objects) << objects.error().message;
    objects_ = *std::move(objects);
  }
  std::vector<AnyObject> objects_;
};

TEST_F(KindsTest, VolcanoKinds) {
  ASSERT_EQ(objects_.size(), 10U);
  const auto& queue = std::get<Queue>(objects_[0]);
  EXPECT_EQ(queue.metadata.key(), "q");
  EXPECT_EQ(queue.spec.weight, 3);
  EXPECT_EQ(queue.spec.reclaimable, false);
  EXPECT_EQ(queue.spec.guarantee.at("cpu").value(), 1);
  EXPECT_EQ(queue.spec.affinity->node_group->preferred.at(0), "b");
  EXPECT_EQ(queue.spec.affinity->node_group_anti->required.at(0), "c");
  EXPECT_EQ(queue.status.allocated.at("cpu").value(), 2);
  const auto& group = std::get<PodGroup>(objects_[1]);
  EXPECT_EQ(group.metadata.key(), "default/g");
  EXPECT_EQ(group.spec.min_task_member.at("worker"), 2);
  EXPECT_EQ(group.spec.min_resources->at("cpu").value(), 3);
  EXPECT_EQ(group.spec.network_topology->highest_tier_allowed, 2);
  EXPECT_EQ(group.spec.sub_group_policy.at(0).label_selector->match_labels.at("a"), "b");
  EXPECT_EQ(group.status.conditions.at(0).transition_id, "t");
  const auto& hyper_node = std::get<HyperNode>(objects_[2]);
  EXPECT_EQ(hyper_node.spec.members.at(0).exact_name, "n0");
  EXPECT_EQ(hyper_node.spec.members.at(1).regex_pattern, "n[0-9]");
  EXPECT_EQ(hyper_node.spec.members.at(2).label_match->match_labels.at("rack"), "r");
}

TEST_F(KindsTest, KubernetesKinds) {
  EXPECT_EQ(std::get<PriorityClass>(objects_[3]).value, 100);
  const auto& quota = std::get<ResourceQuota>(objects_[4]);
  EXPECT_EQ(quota.hard.at("requests.cpu").value(), 4);
  EXPECT_EQ(quota.scope_selector.at(0).scope_name, "PriorityClass");
  const auto& budget = std::get<PodDisruptionBudget>(objects_[5]);
  EXPECT_TRUE(budget.selector && budget.selector->empty());
  EXPECT_TRUE(budget.disrupted_pods.at("p").is_set());
  EXPECT_EQ(std::get<Namespace>(objects_[6]).metadata.labels.at("team"), "a");
  EXPECT_EQ(std::get<NamedObject>(objects_[7]).metadata.name, "pv");
  EXPECT_EQ(std::get<UnknownKind>(objects_[8]).kind, "Widget");
  const auto& node = std::get<Node>(objects_[9]);
  EXPECT_TRUE(node.spec.unschedulable);
  EXPECT_EQ(node.status.images.at(0).size_bytes, 5'000'000'000);
}

TEST(Kinds, ErrorsNameLineObjectAndField) {
  const auto message = [](std::string_view yaml) {
    const auto objects = decode_all(text::parse_documents(yaml).value());
    return objects ? "no error" : objects.error().message;
  };
  EXPECT_EQ(message("apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  priority: high\n"),
            "Pod p: line 6: spec.priority: expected an integer, got string \"high\"");
  EXPECT_EQ(message("kind: Pod\n"), "line 1: apiVersion: is required: give a string");
  EXPECT_EQ(message("kind: PodList\nitems: [{apiVersion: v1}]\n"), "line 2: items[0].kind: is required: give a string");
  EXPECT_EQ(message("just text"), "line 1: expected an object, got string \"just text\"");
  EXPECT_TRUE(is_known_kind("v1", "Pod"));
  EXPECT_FALSE(is_known_kind("v2", "Pod"));
}

}  // namespace
}  // namespace basalt::api
