#include "kube/api/pod_types.h"

#include <gtest/gtest.h>

#include "kube/text/yaml.h"

namespace basalt::api {
namespace {

constexpr std::string_view kPod = R"(
metadata:
  name: p
  namespace: ns
  uid: u-1
  labels: {app: web}
  annotations: {scheduling.k8s.io/group-name: g}
  creationTimestamp: 2024-05-01T12:00:00Z
  ownerReferences: [{kind: Job, name: j, uid: u-0, controller: true}]
spec:
  schedulerName: volcano
  nodeName: n1
  hostNetwork: true
  overhead: {cpu: 10m}
  resources: {requests: {cpu: 1}}
  priority: 7
  schedulingGates: [{name: a}, {name: b}]
  containers:
  - name: c
    image: i
    ports: [{containerPort: 80, hostPort: 8080, hostIP: 10.0.0.1, protocol: UDP}]
    resources: {requests: {cpu: 100m, nvidia.com/gpu: 2}, limits: {memory: 1Gi}}
  initContainers: [{name: s, restartPolicy: Always}]
  nodeSelector: {zone: a}
  tolerations: [{key: k, operator: Exists, effect: NoExecute, tolerationSeconds: 30}]
  volumes: [{name: v, persistentVolumeClaim: {claimName: data}}, {name: e, ephemeral: {}}]
  resourceClaims: [{name: r, resourceClaimName: rc}]
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions: [{key: gpu, operator: In, values: [a100, h100]}]
          matchFields: [{key: metadata.name, operator: In, values: [n1]}]
      preferredDuringSchedulingIgnoredDuringExecution:
      - {weight: 5, preference: {matchExpressions: [{key: ssd, operator: Exists}]}}
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: host
        labelSelector: {matchLabels: {app: web}}
        namespaces: [x]
        namespaceSelector: {}
        matchLabelKeys: [v]
        mismatchLabelKeys: [w]
      preferredDuringSchedulingIgnoredDuringExecution:
      - {weight: 3, podAffinityTerm: {topologyKey: zone}}
  topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, minDomains: 2, nodeAffinityPolicy: Ignore,
     nodeTaintsPolicy: Honor, matchLabelKeys: [v], labelSelector: {matchExpressions: [{key: app, operator: Exists}]}}
status:
  phase: Pending
  nominatedNodeName: n2
  startTime: 2024-05-01T12:00:01Z
  conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: m}]
  containerStatuses: [{name: c, allocatedResources: {cpu: 1}, resources: {requests: {cpu: 2}}}]
)";

class PodTest : public testing::Test {
 protected:
  Pod pod_ = decode_pod(text::parse_yaml(kPod).value().value).value();
};

TEST_F(PodTest, Metadata) {
  EXPECT_EQ(pod_.metadata.key(), "ns/p");
  EXPECT_EQ(*find_in(pod_.metadata.annotations, "scheduling.k8s.io/group-name"), "g");
  EXPECT_EQ(find_in(pod_.metadata.labels, "x"), nullptr);
  EXPECT_EQ(pod_.metadata.creation_time, Instant::from_unix_seconds(1714564800));
  EXPECT_FALSE(pod_.metadata.deletion_time.is_set());
  EXPECT_TRUE(pod_.metadata.owners.at(0).controller);
}

TEST_F(PodTest, Spec) {
  const PodSpec& spec = pod_.spec;
  EXPECT_EQ(spec.containers.at(0).ports.at(0).host_ip, "10.0.0.1");
  EXPECT_EQ(spec.containers.at(0).resources.requests.at("nvidia.com/gpu").value(), 2);
  EXPECT_TRUE(spec.init_containers.at(0).is_sidecar());
  EXPECT_EQ(spec.scheduling_gates, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(spec.volumes.at(0).claim_name, "data");
  EXPECT_TRUE(spec.volumes.at(1).ephemeral);
  EXPECT_EQ(spec.resource_claims.at(0).claim_name, "rc");
  EXPECT_EQ(spec.tolerations.at(0).toleration_seconds, 30);
  EXPECT_EQ(spec.priority, 7);
  EXPECT_TRUE(spec.host_network);
  EXPECT_EQ(spec.resources->requests.at("cpu").value(), 1);
}

TEST_F(PodTest, Affinity) {
  const Affinity& affinity = pod_.spec.affinity;
  const NodeSelectorTerm& term = affinity.node.required->terms.at(0);
  EXPECT_EQ(term.match_expressions.at(0).values.size(), 2U);
  EXPECT_EQ(term.match_fields.at(0).key, "metadata.name");
  EXPECT_EQ(affinity.node.preferred.at(0).weight, 5);
  const PodAffinityTerm& anti = affinity.pod_anti.required.at(0);
  EXPECT_EQ(anti.namespaces.at(0), "x");
  EXPECT_TRUE(anti.namespace_selector && anti.namespace_selector->empty());
  EXPECT_EQ(anti.label_selector->match_labels.at("app"), "web");
  EXPECT_EQ(anti.mismatch_label_keys.at(0), "w");
  EXPECT_FALSE(affinity.pod_anti.preferred.at(0).term.label_selector);
  const TopologySpreadConstraint& spread = pod_.spec.topology_spread.at(0);
  EXPECT_EQ(spread.min_domains, 2);
  EXPECT_EQ(spread.node_affinity_policy, "Ignore");
  EXPECT_EQ(spread.label_selector->match_expressions.at(0).op, "Exists");
}

TEST_F(PodTest, Status) {
  EXPECT_EQ(pod_.status.nominated_node_name, "n2");
  EXPECT_EQ(pod_.status.conditions.at(0).status, "False");
  EXPECT_EQ(pod_.status.container_statuses.at(0).resources->requests.at("cpu").value(), 2);
}

}  // namespace
}  // namespace basalt::api
