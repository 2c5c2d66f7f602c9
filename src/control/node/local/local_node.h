// This machine as a node: pods run as real processes.
//
// A loop::ReconcileLoop whose Reconciler keeps one PodLifecycle (pure, pod_lifecycle.h) per pod of this node. Its
// actions are carried out here: volumes are laid out (volume_manager.h), processes started and stopped (process.h),
// probes made (control/loop/prober.h, or a process). What happens goes back to the PodLifecycle as events, and its
// report is written as the pod's status.
//
// Containers outlive the node where LocalNodeOptions::keep_pods says so: each has a supervisor of its own (process.h),
// and the next node with the same directory takes them over, also after a crash. Without it nothing survives the node:
// every container is a process group of its own in a tree that is killed with us, even when we are killed. What is not
// there any more after a restart, its pod is Failed with reason NodeRestarted (or runs again where restartPolicy says
// so).
//
// Threads: start() and stop() by the owner; all else on the loop's thread, but for waiting for processes.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "control/node/local/container_state.h"
#include "control/node/local/own_ports.h"
#include "kube/api/exec.h"
#include "kube/api/typed_decode.h"
#include "kube/client/object_client.h"
#include "kube/net/tcp_load_balancer.h"

namespace basalt::node {

struct LocalNodeOptions {
  std::function<Instant()> clock;
  std::string name;                 // of the Node; "": the host name
  std::filesystem::path directory;  // pods' volumes and working files; made 0700
  // What no pod may see, beside the two: the cluster's state, kubeconfigs. Where a pod could reach it, it is empty.
  std::vector<std::filesystem::path> hidden;
  std::filesystem::path logs;         // <namespace>/<pod>/<container>.log, as the API server reads them
  std::filesystem::path images_file;  // image → root directory or command prefix (image_mappings.h); "": none
  api::ResourceList capacity;         // overrides what is detected: cpu, memory, pods, nvidia.com/gpu, …
  api::StringMap labels;
  std::string pod_network = "127.64.0.0";  // /16: each pod gets an address of its own in it
  // Where pods of this machine reach the API server: behind the service default/kubernetes and in KUBERNETES_SERVICE_*.
  std::optional<net::Endpoint> api_server;
  bool keep_pods = false;                                          // their containers go on when the node ends
  OwnPorts own_ports = OwnPorts::None;                             // of each pod, where the machine permits it
  BackOffOptions back_off;                                         // between the runs of a container
  std::function<void(bool warning, const std::string& line)> log;  // may be empty; called from several threads
};

class LocalNode {
 public:
  // An error: the directory cannot be used, the images file is wrong. Requires: `client` outlives it.
  static Result<std::unique_ptr<LocalNode>> make(client::ObjectClient& client, LocalNodeOptions options);
  // Containers that a node with this directory left running; some may have ended since.
  [[nodiscard]] static size_t count_detached(const std::filesystem::path& directory);
  // Ends them, where no node is to take them over: SIGTERM, after `grace` SIGKILL. Returns how many there were, when
  // they have ended.
  static Result<size_t> end_detached(const std::filesystem::path& directory, std::chrono::milliseconds grace);
  virtual ~LocalNode() = default;

  virtual void start() = 0;
  // Ends every process it started, SIGTERM, after `grace` SIGKILL; with keep_pods it lets containers go on instead.
  // Their pods stay as objects, for the next start.
  virtual void stop(std::chrono::milliseconds grace) = 0;

  // As api::ExecRunner; from any thread, between start() and stop(). The command dies with its container.
  virtual std::shared_ptr<api::ExecHandle> exec(api::ExecRequest request, api::ExecCallbacks callbacks) = 0;
};

}  // namespace basalt::node
