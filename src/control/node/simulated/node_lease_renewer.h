// Heartbeats of simulated nodes: a Lease in kube-node-lease for each, renewed as kubelets do, for clusters whose
// kube-controller-manager would otherwise take the nodes for dead.
//
// 1. Every node's lease is written once in kLeaseRenewal, the nodes spread evenly over that time. A write makes the
//    lease where it is absent, so nothing is read.
// 2. At most kMaxLeaseCalls are under way; what does not fit waits for its next turn.
//
// Cost: nodes / kLeaseRenewal writes a second. One thread of its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/instant.h"
#include "control/loop/wake_up.h"
#include "control/node/simulated/simulated_nodes.h"
#include "kube/api/call.h"
#include "kube/client/object_client.h"

namespace basalt::node {

inline constexpr size_t kMaxLeaseCalls = 200;

// The write that renews the lease of the node.
[[nodiscard]] api::Call lease_renewal(const std::string& node, Instant now);

// The names of all nodes of the groups.
[[nodiscard]] std::vector<std::string> names_of(const std::vector<SimulatedNodeGroup>& groups);

class NodeLeaseRenewer {
 public:
  // Requires: `client` outlives it.
  NodeLeaseRenewer(client::ObjectClient& client, std::vector<std::string> nodes, std::function<Instant()> clock);
  ~NodeLeaseRenewer() { stop(); }
  NodeLeaseRenewer(const NodeLeaseRenewer&) = delete;
  NodeLeaseRenewer& operator=(const NodeLeaseRenewer&) = delete;

  void start();
  void stop();  // and wait for it; no write is under way afterwards

  // Sends the renewals of one of kLeaseBatches turns; instead of start().
  static constexpr size_t kLeaseBatches = 50;
  void turn();

 private:
  client::ObjectClient& client_;
  const std::vector<std::string> nodes_;
  const std::function<Instant()> clock_;
  size_t at_ = 0;  // the turn that comes
  loop::WakeUp wake_up_;
  // Shared with calls: the last one may still be telling that it has ended when stop() knows it already.
  const std::shared_ptr<std::atomic<size_t>> under_way_ = std::make_shared<std::atomic<size_t>>(0);
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace basalt::node
