// An API server in memory with its upkeep and a clock that stands until it is moved.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "control/kubernetes/kube_controller_manager.h"
#include "server/api_server.h"
#include "server/bootstrap.h"
#include "server/in_process_client.h"
#include "server/store/store.h"

namespace basalt {

class KubeControllersFixture {
 public:
  explicit KubeControllersFixture(kubernetes::Periods periods = {});

  // Does what is due now. The number of writes it took.
  uint64_t settle();
  // Lets time pass, doing what becomes due on the way.
  void pass(Duration time);

  // A manifest in YAML (or JSON). Fails the test when the server refuses it. Answers the uid.
  std::string create(std::string_view manifest);
  // `where` is "v1/pods/namespace/name" or "v1/nodes/name", "apps/v1/deployments/…".
  [[nodiscard]] client::ObjectPtr get(std::string_view where);  // null: not there
  [[nodiscard]] bool exists(std::string_view where) { return get(where) != nullptr; }
  // The text at a path of members and indexes ("status.used.pods", "status.conditions.0.type"); "" when absent.
  [[nodiscard]] std::string at(std::string_view where, std::string_view path);
  void remove(std::string_view where, std::string_view propagation = "");
  void patch(std::string_view where, std::string_view json, std::string_view subresource = "");
  [[nodiscard]] std::vector<client::ObjectPtr> list(std::string_view where);  // "v1/pods" or "v1/pods/namespace"

  [[nodiscard]] client::ObjectClient& client() { return *client_; }
  [[nodiscard]] kubernetes::KubeControllerManager& upkeep() { return *upkeep_; }
  [[nodiscard]] Instant now() const { return now_; }
  void restart_upkeep();

 private:
  [[nodiscard]] api::Call call(api::Verb verb, std::string_view where) const;

  kubernetes::Periods periods_;
  Instant now_ = Instant::from_unix_seconds(1'700'000'000);
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<server::ApiServer> server_;
  std::unique_ptr<server::InProcessClient> client_;
  std::unique_ptr<kubernetes::KubeControllerManager> upkeep_;
};

}  // namespace basalt
