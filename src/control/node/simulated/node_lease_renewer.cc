#include "control/node/simulated/node_lease_renewer.h"

#include <fmt/format.h>

#include <utility>

#include "control/loop/api_writes.h"
#include "control/node/node_object.h"

namespace basalt::node {

api::Call lease_renewal(const std::string& node, Instant now) {
  return loop::apply({.group = "coordination.k8s.io", .version = "v1", .plural = "leases"}, node_lease(node, "", now),
                     "kubelet");
}

std::vector<std::string> names_of(const std::vector<SimulatedNodeGroup>& groups) {
  std::vector<std::string> names;
  for (const SimulatedNodeGroup& group : groups) {
    for (int64_t i = 0; i < group.count; ++i) names.push_back(fmt::format("{}-{}", group.name, i));
  }
  return names;
}

NodeLeaseRenewer::NodeLeaseRenewer(client::ObjectClient& client, std::vector<std::string> nodes,
                                   std::function<Instant()> clock)
    : client_(client), nodes_(std::move(nodes)), clock_(std::move(clock)) {}

void NodeLeaseRenewer::turn() {
  const Instant now = clock_();
  for (size_t i = at_; i < nodes_.size(); i += kLeaseBatches) {
    if (*under_way_ >= kMaxLeaseCalls) break;
    ++*under_way_;
    client_.send(lease_renewal(nodes_[i], now), [open = under_way_](const client::ReplyOrError&) {
      --*open;
      open->notify_all();
    });
  }
  at_ = (at_ + 1) % kLeaseBatches;
}

void NodeLeaseRenewer::start() {
  thread_ = std::thread([this] {
    for (size_t i = 0; i < kLeaseBatches && !stopping_; ++i) turn();  // all at once, at first
    while (!stopping_) {
      wake_up_.wait({kLeaseRenewal.nanos / static_cast<int64_t>(kLeaseBatches)});
      if (!stopping_) turn();
    }
  });
}

void NodeLeaseRenewer::stop() {
  stopping_ = true;
  wake_up_.notify();
  if (thread_.joinable()) thread_.join();
  for (size_t open = *under_way_; open > 0; open = *under_way_) under_way_->wait(open);
}

}  // namespace basalt::node
