// Pods, as far as scheduling looks at them.
//
// Fields hold what is written in the object; nothing is defaulted except the namespace. In particular a container's
// requests are not filled from its limits: the API server does that when a pod is created.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kube/api/affinity.h"
#include "kube/api/metadata.h"

namespace basalt::api {

struct Resources {
  ResourceList requests, limits;
};

struct ContainerPort {
  int32_t container_port = 0;
  int32_t host_port = 0;  // 0: none. With spec.host_network the API server copies container_port here
  std::string host_ip;    // "" means 0.0.0.0
  std::string protocol;   // "" means TCP
};

struct Container {
  std::string name, image;
  Resources resources;
  std::vector<ContainerPort> ports;
  std::string restart_policy;  // "Always" on an init container: a sidecar

  [[nodiscard]] bool is_sidecar() const { return restart_policy == "Always"; }
};

// Only what names other objects.
struct Volume {
  std::string name;
  std::string claim_name;  // persistentVolumeClaim.claimName; "" otherwise
  bool ephemeral = false;  // a claim named <pod>-<volume> is made from a template
};

// A pod's entry of spec.resourceClaims.
struct PodClaim {
  std::string name;
  std::string claim_name;     // resourceClaimName
  std::string template_name;  // resourceClaimTemplateName
};

struct PodSpec {
  std::string scheduler_name, node_name;
  std::vector<Container> containers, init_containers;
  ResourceList overhead;
  std::optional<Resources> resources;  // of the pod as a whole
  StringMap node_selector;
  Affinity affinity;
  std::vector<Toleration> tolerations;
  std::vector<TopologySpreadConstraint> topology_spread;
  std::optional<int32_t> priority;
  std::string priority_class_name, preemption_policy;
  std::vector<std::string> scheduling_gates;  // names
  std::vector<Volume> volumes;
  std::vector<PodClaim> resource_claims;
  bool host_network = false;
};

// What the kubelet reports about one container; matters while a pod is being resized in place.
struct ContainerStatus {
  std::string name;
  ResourceList allocated_resources;
  std::optional<Resources> resources;
};

struct PodStatus {
  std::string phase;
  std::string nominated_node_name;
  std::string resize;  // "Infeasible" on servers before the PodResizePending condition
  std::vector<Condition> conditions;
  Instant start_time;
  std::vector<ContainerStatus> container_statuses, init_container_statuses;
};

struct Pod {
  ObjectMeta metadata;
  PodSpec spec;
  PodStatus status;
};

[[nodiscard]] Result<void> read(const text::Field& at, Pod& out);
[[nodiscard]] Result<void> read(const text::Field& at, PodSpec& out);  // also a pod template's spec
[[nodiscard]] Result<void> read(const text::Field& at, PodStatus& out);

// Cost: O(object). The error names the pod and the field.
[[nodiscard]] Result<Pod> decode_pod(const text::Value& value);

}  // namespace basalt::api
