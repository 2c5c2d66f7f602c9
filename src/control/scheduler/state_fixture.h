// For tests: a small cluster written as YAML, and states fed from it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "control/scheduler/state/state_updater.h"
#include "kube/text/yaml.h"

namespace basalt::scheduler {

inline constexpr Instant kNow = Instant::from_unix_seconds(1'767'225'610);  // 2026-01-01T00:00:10Z

inline std::vector<api::AnyObject> decode_yaml(std::string_view yaml) {
  const auto documents = text::parse_yaml_stream(yaml);
  EXPECT_TRUE(documents.has_value()) << documents.error().message;
  auto objects = api::decode_all(*documents);
  EXPECT_TRUE(objects.has_value()) << objects.error().message;
  return objects ? *objects : std::vector<api::AnyObject>();
}

// A state and its updater.
struct StateFixture {
  model::ClusterState state;
  state::StateUpdater updater{state};

  void apply(std::string_view yaml) {
    for (const api::AnyObject& object : decode_yaml(yaml)) {
      const Result<void> fed = updater.apply(object);
      EXPECT_TRUE(fed.has_value()) << fed.error().message;
    }
  }
  void remove(std::string_view yaml) {
    for (const api::AnyObject& object : decode_yaml(yaml)) updater.remove(object);
  }
  [[nodiscard]] model::TaskId task(std::string_view uid) const { return state.find_task(uid); }
};

inline constexpr std::string_view kNodeA = R"(
apiVersion: v1
kind: Node
metadata: {name: node-a, labels: {zone: east, disk: ssd}}
spec: {taints: [{key: gpu, value: "yes", effect: NoSchedule}]}
status:
  allocatable: {cpu: "16", memory: 64Gi, pods: "110", nvidia.com/gpu: "4"}
  images: [{names: ["worker:1"], sizeBytes: 1000}]
)";
inline constexpr std::string_view kNodeB = R"(
apiVersion: v1
kind: Node
metadata: {name: node-b, labels: {zone: west}}
status: {allocatable: {cpu: "8", memory: 32Gi, pods: "110"}}
)";
inline constexpr std::string_view kQueue = R"(
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: default}
spec: {weight: 2, capability: {cpu: "20"}, deserved: {cpu: "10", nvidia.com/gpu: "2"}}
status: {state: Open}
)";
inline constexpr std::string_view kClass = R"(
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 1000
)";
inline constexpr std::string_view kNamespace = R"(
apiVersion: v1
kind: Namespace
metadata: {name: team, labels: {owner: ann}}
)";
inline constexpr std::string_view kQuota = R"(
apiVersion: v1
kind: ResourceQuota
metadata: {name: quota, namespace: team}
status: {hard: {cpu: "10"}, used: {cpu: "2"}}
)";
inline constexpr std::string_view kBudget = R"(
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: budget, namespace: team}
spec: {selector: {matchLabels: {app: web}}}
status: {disruptionsAllowed: 1}
)";
inline constexpr std::string_view kGroup = R"(
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: train, namespace: team, uid: g1, creationTimestamp: "2026-01-01T00:00:00Z"}
spec: {minMember: 2, queue: default, priorityClassName: high, minTaskMember: {worker: 1}, minResources: {cpu: "2"}}
status: {phase: Inqueue}
)";
inline constexpr std::string_view kWaiting = R"(
apiVersion: v1
kind: Pod
metadata:
  name: train-worker-0
  namespace: team
  uid: u0
  creationTimestamp: "2026-01-01T00:00:01Z"
  labels: {app: web, volcano.sh/task-spec: worker}
  annotations: {scheduling.k8s.io/group-name: train}
spec:
  schedulerName: volcano
  nodeSelector: {disk: ssd, zone: east}
  tolerations: [{key: gpu, operator: Exists}]
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: zone
        labelSelector: {matchExpressions: [{key: app, operator: In, values: [db, cache]}]}
  containers:
  - name: c
    image: "worker:1"
    resources: {requests: {cpu: "1", memory: 1Gi}}
    ports: [{hostPort: 80, containerPort: 80}]
status: {phase: Pending}
)";
inline constexpr std::string_view kRunning = R"(
apiVersion: v1
kind: Pod
metadata:
  name: train-worker-1
  namespace: team
  uid: u1
  creationTimestamp: "2026-01-01T00:00:01Z"
  annotations: {scheduling.k8s.io/group-name: train}
spec:
  schedulerName: volcano
  nodeName: node-b
  containers: [{name: c, image: "worker:1", resources: {requests: {cpu: "2", memory: 2Gi}}}]
status: {phase: Running}
)";

inline std::vector<std::string_view> whole_cluster() {
  return {kNodeA, kNodeB, kQueue, kClass, kNamespace, kQuota, kBudget, kGroup, kWaiting, kRunning};
}

inline std::unique_ptr<StateFixture> state_with(const std::vector<std::string_view>& objects) {
  auto fixture = std::make_unique<StateFixture>();
  for (const std::string_view yaml : objects) fixture->apply(yaml);
  return fixture;
}

// `yaml` with the first `from` replaced. Requires: it is there.
inline std::string with(std::string_view yaml, std::string_view from, std::string_view to) {
  std::string out(yaml);
  const size_t at = out.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? out : out.replace(at, from.size(), to);
}

}  // namespace basalt::scheduler
