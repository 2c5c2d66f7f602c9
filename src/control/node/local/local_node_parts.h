// What a local node is put together from, made from its options: everything that can fail before it starts.
#pragma once

#include <filesystem>
#include <memory>

#include "base/result.h"
#include "control/node/local/container_start.h"
#include "control/node/local/local_node.h"
#include "control/node/local/local_node_reconciler.h"
#include "control/node/local/process.h"
#include "kube/net/interrupt.h"
#include "kube/net/tcp_load_balancer.h"

namespace basalt::node {

inline constexpr std::string_view kLocalAddress = "127.0.0.1";  // of the node: its pods are on loopback addresses too

struct LocalNodeParts {
  std::unique_ptr<Processes> processes;
  std::shared_ptr<net::Interrupt> interrupt;  // shared with connections of probes
  std::unique_ptr<net::TcpLoadBalancer> balancer;
  ContainerDefaults defaults;
  LocalNodeReconcilerOptions reconciler;
  PodAddressPool addresses;
  GpuAllocator devices;
};

// Of a node's directory, the part where its processes are kept (process.h).
[[nodiscard]] inline std::filesystem::path run_directory(const std::filesystem::path& directory) {
  return directory / "run";
}

// Makes the directories, kills what a former node left, and says in the log what this machine does not permit.
// `options` gets the name and absolute directories. An error says which option is wrong.
[[nodiscard]] Result<LocalNodeParts> make_local_node_parts(LocalNodeOptions& options);

}  // namespace basalt::node
