#include <fmt/format.h>

#include <map>

#include "kube/api/pod_requests.h"
#include "programs/cli/check/check_rules.h"

namespace basalt::cli::checkup {
namespace {

struct Load {
  api::ResourceList requests;
  int64_t pods = 0;
};

void check_load(const CheckedNode& node, Load load, std::vector<Finding>& findings) {
  load.requests["pods"] = text::Quantity::from_units(load.pods);
  for (const auto& [resource, requested] : load.requests) {
    const auto found = node.allocatable.find(resource);
    const text::Quantity room = found == node.allocatable.end() ? text::Quantity() : found->second;
    if (requested <= room) continue;
    findings.push_back({.rule = kNodeOversubscribed,
                        .kind = "Node",
                        .object = node.name,
                        .message = fmt::format("its {} pods that are not over ask for {} {}, allocatable is {}",
                                               load.pods, requested.to_string(), resource, room.to_string()),
                        .firm = true});
  }
}

}  // namespace

void check_nodes(const CheckedCluster& cluster, std::vector<Finding>& findings) {
  std::map<std::string_view, Load> loads;
  for (const CheckedNode& node : cluster.nodes) loads[node.name];
  for (const CheckedPod& pod : cluster.pods) {
    if (!pod.is_bound() || !pod.alive()) continue;
    const auto load = loads.find(pod.node);
    if (load == loads.end()) {
      findings.push_back({.rule = kNodeMissing,
                          .kind = "Pod",
                          .object = pod.key(),
                          .message = fmt::format("it is bound to node {}, which does not exist", pod.node)});
      continue;
    }
    api::add(load->second.requests, pod.requests);
    ++load->second.pods;
  }
  for (const CheckedNode& node : cluster.nodes) check_load(node, std::move(loads[node.name]), findings);
}

}  // namespace basalt::cli::checkup
