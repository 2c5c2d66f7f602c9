// Everything of `basalt up` but the network, in this process: durable store, API server with admission, Kubernetes'
// and Volcano's controllers, scheduler and simulated nodes, each on its own thread, in real time.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "control/kubernetes/kube_controller_manager.h"
#include "control/node/simulated/simulated_nodes.h"
#include "control/scheduler/scheduler.h"
#include "control/volcano/volcano_controller_manager.h"
#include "kube/client/object_client.h"
#include "server/api_server.h"
#include "server/in_process_client.h"
#include "server/store/store.h"

namespace basalt::lab {

struct BenchClusterOptions {
  std::filesystem::path file;  // of the store
  int64_t nodes = 1;
  std::optional<std::string> run_seconds;  // of pods; none: until they are deleted
  kubernetes::Periods periods;
  Duration self_check = Duration::seconds(60);
};

class BenchCluster {
 public:
  static Result<std::unique_ptr<BenchCluster>> open(const BenchClusterOptions& options);
  ~BenchCluster() { close(); }
  BenchCluster(const BenchCluster&) = delete;
  BenchCluster& operator=(const BenchCluster&) = delete;

  // Until every node is there and takes pods. False: not within `longest`.
  [[nodiscard]] bool wait_for_nodes(std::chrono::seconds longest);
  void close();  // everything stands still afterwards

  // From any thread.
  [[nodiscard]] client::ObjectClient& client() { return client_; }
  [[nodiscard]] const store::Store& store() const { return *store_; }
  [[nodiscard]] const scheduler::Scheduler& scheduler() const { return *scheduler_; }

 private:
  BenchCluster(std::unique_ptr<store::Store> store, BenchClusterOptions options);
  Result<void> start_components();

  BenchClusterOptions options_;
  std::unique_ptr<store::Store> store_;
  server::ApiServer api_;
  server::InProcessClient client_;
  std::unique_ptr<kubernetes::KubeControllerManager> upkeep_;
  std::unique_ptr<volcano::VolcanoControllerManager> controllers_;
  std::unique_ptr<scheduler::Scheduler> scheduler_;
  std::unique_ptr<node::SimulatedNodes> nodes_;
};

// A job of one task with `replicas` equal pods of 1 CPU that must run together. `ttl`: seconds that it stays when done.
[[nodiscard]] text::Object bench_job(size_t number, size_t replicas, std::optional<int64_t> ttl = {});
// The write that makes it.
[[nodiscard]] api::Call create_job(text::Object job);

}  // namespace basalt::lab
