#include "control/scheduler/state/build_pod_shape.h"

#include <gtest/gtest.h>

#include "kube/text/yaml.h"

namespace basalt::state {
namespace {

api::Pod pod_of(std::string_view yaml) {
  const auto document = text::parse_yaml(yaml);
  EXPECT_TRUE(document.has_value()) << document.error().message;
  auto pod = api::decode_pod(document->value);
  EXPECT_TRUE(pod.has_value()) << pod.error().message;
  return *pod;
}

class PodShapeTest : public testing::Test {
 protected:
  Result<model::PodShape> build(std::string_view yaml) {
    return build_shape(pod_of(yaml), state_.names, state_.schema);
  }
  NameId name(std::string_view text) { return state_.names.intern(text); }

  model::ClusterState state_;
};

TEST_F(PodShapeTest, RequestsIncludeThePodItself) {
  const auto shape = build(R"(
metadata: {name: p, namespace: ns}
spec:
  containers:
  - {name: a, image: busybox, resources: {requests: {cpu: 500m, memory: 1Gi, nvidia.com/gpu: 0}}}
  - {name: b, image: "registry:5000/b", resources: {requests: {cpu: 250m}}}
)");
  ASSERT_TRUE(shape.has_value()) << shape.error().message;
  const model::Demand expected = {{model::kCpu, 750}, {model::kMemory, int64_t{1} << 30}, {model::kPods, 1}};
  EXPECT_EQ(shape->request, expected);
  EXPECT_FALSE(shape->best_effort);
  EXPECT_EQ(shape->nonzero_cpu_milli, 750);
  EXPECT_EQ(shape->nonzero_memory, (int64_t{1} << 30) + (int64_t{200} << 20));  // b asks for no memory: 200Mi
  EXPECT_EQ(shape->images, (std::vector{name("busybox:latest"), name("registry:5000/b:latest")}));
  EXPECT_EQ(shape->containers, 2);
}

TEST_F(PodShapeTest, AskingForNothingIsBestEffort) {
  const auto shape = build("{metadata: {name: p}, spec: {containers: [{name: a, image: 'x:1'}]}}");
  ASSERT_TRUE(shape.has_value());
  EXPECT_TRUE(shape->best_effort);
  EXPECT_EQ(shape->request, (model::Demand{{model::kPods, 1}}));
}

TEST_F(PodShapeTest, AffinityIsCompiledAndEmptyTermsMatchNothing) {
  const auto shape = build(R"(
metadata: {name: p, namespace: ns, labels: {app: db, hash: "7"}}
spec:
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - {}
        - matchExpressions: [{key: cores, operator: Gt, values: ["8"]}]
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: zone, labelSelector: {matchLabels: {app: db}}, matchLabelKeys: [hash, absent]}
  topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, nodeTaintsPolicy: Honor}
)");
  ASSERT_TRUE(shape.has_value()) << shape.error().message;
  EXPECT_TRUE(shape->has_required_node_terms);
  ASSERT_EQ(shape->required_node_terms.size(), 1U);
  EXPECT_EQ(shape->required_node_terms[0].labels[0].bound, 8);
  ASSERT_EQ(shape->required_anti_affinity.size(), 1U);
  const model::PodTerm& term = shape->required_anti_affinity[0];
  EXPECT_EQ(term.namespaces, std::vector{name("ns")});
  ASSERT_EQ(term.selector.requirements.size(), 2U);  // app=db and, from matchLabelKeys, hash=7
  EXPECT_EQ(term.selector.requirements[1].key, name("hash"));
  ASSERT_EQ(shape->spread.size(), 1U);
  EXPECT_FALSE(shape->spread[0].hard);
  EXPECT_TRUE(shape->spread[0].selector.nothing);  // no labelSelector: counts no pod
  EXPECT_TRUE(shape->spread[0].honor_node_taints);
}

TEST_F(PodShapeTest, HostPortsHaveTheirDefaults) {
  const auto shape = build(R"(
metadata: {name: p}
spec:
  containers:
  - {name: a, image: x, ports: [{containerPort: 80, hostPort: 8080}, {containerPort: 81}]}
)");
  ASSERT_TRUE(shape.has_value());
  ASSERT_EQ(shape->host_ports.size(), 1U);
  EXPECT_EQ(shape->host_ports[0], (model::HostPort{name("0.0.0.0"), name("TCP"), 8080}));
}

TEST_F(PodShapeTest, ErrorsNameTheField) {
  const auto toleration = build("{metadata: {name: p}, spec: {tolerations: [{key: a, operator: Near}]}}");
  ASSERT_FALSE(toleration.has_value());
  EXPECT_EQ(toleration.error().message,
            "spec.tolerations[0]: operator: unknown operator \"Near\"; write Equal or Exists");
  const auto spread = build("{metadata: {name: p}, spec: {topologySpreadConstraints: [{maxSkew: 0, topologyKey: z}]}}");
  ASSERT_FALSE(spread.has_value());
  EXPECT_EQ(spread.error().message, "spec.topologySpreadConstraints[0]: maxSkew: 0 is not positive; write 1 or more");
}

}  // namespace
}  // namespace basalt::state
