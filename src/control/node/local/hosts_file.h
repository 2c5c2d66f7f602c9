// The hosts file of a pod, in place of cluster DNS.
//
// A pod with a hostname and a subdomain is "host.sub" to pods of its namespace and host.sub.NS, host.sub.NS.svc,
// host.sub.NS.svc.cluster.local to all. A service with a cluster IP is "name" likewise; a headless one stands for the
// addresses of its pods: those that are ready, or all with publishNotReadyAddresses. ExternalName services have no
// address and are left out. Only pods of this node are known.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "kube/api/typed_decode.h"
#include "kube/text/json.h"

namespace basalt::node {

inline constexpr size_t kMaxHostsBytes = size_t{4} * 1024 * 1024;
// Where mounts are impossible, this variable tells a process where its hosts file is.
inline constexpr std::string_view kHostsFileVariable = "BASALT_HOSTS_FILE";

// What names and services need to know of a pod of this node.
struct PodEndpoint {
  struct Port {
    std::string name, protocol;
    uint16_t number = 0;
    uint16_t host_port = 0;  // 0: none
  };
  std::string namespace_name, name;
  std::string hostname, subdomain;  // as in the spec; may be ""
  std::string address;
  bool ready = false;  // its Ready condition
  bool gone = false;   // ended: it has no address any more
  api::StringMap labels;
  std::vector<Port> ports;
};
[[nodiscard]] PodEndpoint pod_endpoint_of(const text::Object& object, std::string address);

// Whether the service's selector names the pod. A service without a selector names none.
[[nodiscard]] bool selects(const text::Object& service, const PodEndpoint& pod);
// Whether traffic for the service should reach it: ready, or the service takes pods that are not.
[[nodiscard]] bool serves(const text::Object& service, const PodEndpoint& pod);

// Cut after kMaxHostsBytes, at the end of a line. Cost: O(pods · services of their namespace).
[[nodiscard]] std::string hosts_text(const text::Object& pod, const std::string& address,
                                     std::span<const PodEndpoint> pods, std::span<const text::Object* const> services);

// Into the same file (it is mounted over a container's own), and only when it says something else.
Result<void> write_hosts(const std::filesystem::path& file, std::string_view text);

}  // namespace basalt::node
