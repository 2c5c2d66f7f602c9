// Everything that works on the API server in a standalone cluster: Kubernetes' and Volcano's
// controllers, scheduler, nodes.
//
// Each part has its own in-process client, so that managedFields and events say who wrote what. Parts start in the
// order of the members and stop in the reverse one: nodes first, while those who read their reports are still there.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "control/kubernetes/kube_controller_manager.h"
#include "control/loop/prober.h"
#include "control/node/local/local_node.h"
#include "control/node/simulated/simulated_nodes.h"
#include "control/scheduler/scheduler.h"
#include "control/volcano/volcano_controller_manager.h"
#include "kube/api/exec.h"
#include "server/api_server.h"
#include "server/in_process_client.h"

namespace basalt::up {

struct ClusterComponentOptions {
  bool api_only = false;  // no controllers but those of a kube-apiserver, no scheduler, no nodes
  bool scheduler = true;
  bool local_node = true;
  bool keep_pods = false;  // containers of the local node outlive us, and are taken over by the next start
  node::OwnPorts own_ports = node::OwnPorts::None;  // of each pod of the local node
  std::string pod_network;                          // of the local node; see kube/net/loopback_block.h
  std::string node_name;                            // of the local node; "": the host's
  std::optional<int64_t> gpus;                      // of the local node; nothing: those that are found
  std::filesystem::path images_file;                // "": none
  std::vector<node::SimulatedNodeGroup> simulated;
  std::optional<std::string> run_seconds;  // of simulated pods without the annotation
  size_t terminated_pods = kubernetes::Periods{}.terminated_pods;
  Duration schedule_period = Duration::seconds(1);
  Duration self_check = Duration::seconds(60);
  std::string scheduler_conf;                                      // file; "": none
  bool refuse_unsupported_policy = false;                          // else skipped, see control/scheduler/state/conf.h
  std::function<void(bool warning, const std::string& line)> log;  // from any thread; may be empty
};

// The names for which the scheduler places pods. Nobody else is here to place those that name none.
[[nodiscard]] const std::vector<std::string>& our_schedulers();

// Where the local node keeps things.
struct NodeDirectories {
  std::filesystem::path pods, logs;
  std::vector<std::filesystem::path> hidden;  // from pods: what else is ours
};

class ClusterComponents {
 public:
  // Requires: `api` outlives it, and was bootstrapped.
  static Result<std::unique_ptr<ClusterComponents>> start(server::ApiServer& api, ClusterComponentOptions options,
                                                          const NodeDirectories& places);
  ~ClusterComponents();
  ClusterComponents(const ClusterComponents&) = delete;
  ClusterComponents& operator=(const ClusterComponents&) = delete;

  // Processes of pods get SIGTERM and after `grace` SIGKILL, or go on (ClusterComponentOptions::keep_pods). Again:
  // nothing.
  void stop(std::chrono::milliseconds grace);
  // Commands inside containers of the local node, until stop(); null: there is no such node.
  [[nodiscard]] api::ExecRunner exec() const;
  // Of the scheduler; from any thread.
  [[nodiscard]] std::string metrics_text() const;

 private:
  ClusterComponents(server::ApiServer& api, ClusterComponentOptions options);
  [[nodiscard]] std::unique_ptr<server::InProcessClient> client(std::string name) const;
  Result<void> start_all(const NodeDirectories& places);
  Result<void> start_controllers();
  Result<void> start_scheduler();
  Result<void> start_simulated_nodes();
  Result<void> start_local_node(const NodeDirectories& places);
  // What a former start left running, when there is no node any more that would take it over.
  Result<void> end_leftover_pods(const NodeDirectories& places) const;

  server::ApiServer& api_;
  ClusterComponentOptions options_;
  std::unique_ptr<server::InProcessClient> upkeep_client_, controller_client_, scheduler_client_, node_client_;
  std::unique_ptr<kubernetes::KubeControllerManager> upkeep_;
  std::unique_ptr<loop::Prober> prober_;
  std::unique_ptr<volcano::VolcanoControllerManager> controllers_;
  std::unique_ptr<scheduler::Scheduler> scheduler_;
  std::unique_ptr<node::SimulatedNodes> simulated_;
  std::unique_ptr<node::LocalNode> local_;
};

}  // namespace basalt::up
