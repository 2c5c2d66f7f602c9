// What a local node is put together from, made from its options: everything that can fail before it starts.
#pragma once

#include <filesystem>
#include <memory>

#include "base/result.h"
#include "control/node/local/container_start.h"
#include "control/node/local/local_mind.h"
#include "control/node/local/local_node.h"
#include "control/node/local/process.h"
#include "kube/net/balancer.h"
#include "kube/net/interrupt.h"

namespace basalt::node {

inline constexpr std::string_view kLocalAddress = "127.0.0.1";  // of the node: its pods are on loopback addresses too

struct LocalParts {
  std::unique_ptr<Processes> processes;
  std::shared_ptr<net::Interrupt> interrupt;  // shared with connections of probes
  std::unique_ptr<net::Balancer> balancer;
  ContainerDefaults defaults;
  LocalMindOptions mind;
  Addresses addresses;
  Devices devices;
};

// Of a node's directory, the part where its processes are kept (process.h).
[[nodiscard]] inline std::filesystem::path run_directory(const std::filesystem::path& directory) {
  return directory / "run";
}

// Makes the directories, kills what a former node left, and says in the log what this machine does not permit.
// `options` gets the name and absolute directories. An error says which option is wrong.
[[nodiscard]] Result<LocalParts> make_local_parts(LocalOptions& options);

}  // namespace basalt::node
