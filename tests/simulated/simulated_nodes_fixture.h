// An API server in memory with its upkeep and simulated nodes, in virtual time. The scheduler is played by the test.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "control/kubernetes/kube_controller_manager.h"
#include "control/node/simulated/simulated_nodes.h"
#include "server/api_server.h"
#include "server/in_process_client.h"
#include "server/store/store.h"

namespace basalt {

class SimulatedNodesFixture {
 public:
  // The nodes "sim-0", … with the defaults.
  explicit SimulatedNodesFixture(int64_t nodes = 2);
  explicit SimulatedNodesFixture(node::SimulatedNodesOptions options);
  ~SimulatedNodesFixture();

  // Starts new nodes that know nothing but what the server has.
  void restart_nodes(node::SimulatedNodesOptions options);
  void stop_nodes() { nodes_.reset(); }

  // Does what is due now. The number of writes it took.
  uint64_t settle();
  void pass(Duration time);  // doing on the way what falls due
  [[nodiscard]] Instant now() const { return now_; }

  void create(std::string_view plural, std::string_view yaml);  // in "default" where the kind has namespaces
  // A pod "p" with a container "main" that is bound to sim-0. `annotations` and `spec` are YAML flow entries.
  void run(std::string_view annotations, std::string_view spec = "restartPolicy: Never");
  void bind(std::string_view pod, std::string_view node);
  void patch(std::string_view plural, std::string_view name, std::string_view json, std::string_view subresource = "");
  void remove(std::string_view plural, std::string_view name);
  [[nodiscard]] client::ObjectPtr get(std::string_view plural, std::string_view name);  // null: not there
  // The text at a path of members and indexes ("status.containerStatuses.0.restartCount"); "" when absent.
  [[nodiscard]] std::string at(std::string_view plural, std::string_view name, std::string_view path);
  // READY, STATUS and RESTARTS of the pod "p", as kubectl shows them: "1/1 Running 0".
  [[nodiscard]] std::string shown();
  [[nodiscard]] std::vector<client::ObjectPtr> list(std::string_view plural);
  // Status, of the condition of this type, and the seconds since its last transition: "True 5"; "" when absent.
  [[nodiscard]] std::string condition(std::string_view type);

  [[nodiscard]] client::ObjectClient& client() { return *client_; }

 private:
  [[nodiscard]] api::Call call(api::Verb verb, std::string_view plural, std::string_view name) const;

  Instant now_ = Instant::from_unix_seconds(1'700'000'000);
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<server::ApiServer> server_;
  std::unique_ptr<server::InProcessClient> client_;
  std::unique_ptr<kubernetes::KubeControllerManager> upkeep_;
  std::unique_ptr<node::SimulatedNodes> nodes_;
};

}  // namespace basalt
