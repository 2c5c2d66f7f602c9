// A machine as the API sees it: the Node object with its status, and the Lease that is its heartbeat. Pure.
//
// A Node is registered as a kubelet does it: created with its status in one write, so that it is Ready from the start.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "kube/api/typed_decode.h"
#include "kube/text/json.h"

namespace basalt::node {

inline constexpr std::string_view kRuntimeLabel = "basalt.sh/runtime";  // "local", "simulated"
inline constexpr std::string_view kLeaseNamespace = "kube-node-lease";
inline constexpr Duration kLeaseDuration = Duration::seconds(40);
inline constexpr Duration kLeaseRenewal = Duration::seconds(10);

struct NodeTaint {
  std::string key, value, effect;
  friend auto operator<=>(const NodeTaint&, const NodeTaint&) = default;
};
// "key=value:Effect", "key:Effect"; an error says what is expected.
[[nodiscard]] Result<NodeTaint> parse_taint(std::string_view text);
[[nodiscard]] text::Object taint_object(const NodeTaint& taint);

struct MachineInfo {  // status.nodeInfo
  std::string machine_id, system_uuid, boot_id;
  std::string kernel_version, os_image, runtime_version;  // runtime: "basalt-local://0.6"
  std::string agent_version = "v1.36.1";                  // the VERSION column: the Kubernetes that we speak
  std::string operating_system = "linux", architecture = "amd64";
};

struct NodeDescription {
  std::string name;
  std::string runtime;                 // value of kRuntimeLabel
  api::StringMap labels, annotations;  // beside those that every node has; they win
  std::vector<NodeTaint> taints;       // beside those that follow from conditions
  api::ResourceList capacity;          // as given; `pods` should be among them
  api::ResourceList reserved;          // allocatable is capacity without this
  std::string address;                 // InternalIP; "": none is told
  uint16_t agent_port = 0;             // kubelet endpoint; 0: none is told
  MachineInfo info;
};

// kubernetes.io/hostname, os and arch, their beta forms, the runtime, and `labels`.
[[nodiscard]] api::StringMap labels_of(const NodeDescription& node);
[[nodiscard]] text::Object node_object(const NodeDescription& node, Instant now);  // with its status
[[nodiscard]] text::Object node_status(const NodeDescription& node, Instant now);
// Ready and the three pressures, all well. `not_ready`: why Ready is False; "": it is True.
[[nodiscard]] text::Array node_conditions(Instant now, std::string_view not_ready = "");

// What has to change so that `seen` is as described, as a merge patch of the object without its status; empty: nothing.
// Labels, annotations and taints of others stay.
[[nodiscard]] text::Object node_change(const NodeDescription& node, const text::Object& seen);
// The same for the status: capacity, allocatable, addresses, Ready. Empty: it is so already.
[[nodiscard]] text::Object node_status_change(const NodeDescription& node, const text::Object& seen, Instant now);

// The heartbeat. `uid` of the Node, which owns it; "": no owner is told.
[[nodiscard]] text::Object node_lease(std::string_view node, std::string_view uid, Instant now);
// A merge patch that renews it.
[[nodiscard]] text::Object lease_renewal(Instant now);

// What the Node's condition Ready says; "": it has none. As long as the object lives.
[[nodiscard]] std::string_view ready_status(const text::Object& node);

}  // namespace basalt::node
