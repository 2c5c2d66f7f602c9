// HyperNodes as the labels of the nodes say.
//
// For each topology and node, from the lowest label up to the first one that the node lacks: the value of the label is
// a HyperNode of tier 1, 2, …; its members are the nodes, above tier 1 the HyperNodes below it. A value at one tier is
// one HyperNode, also for topologies that share the label; it is named after the first of them.
//
// The same nodes give the same HyperNodes, names included: a new name ends in a hash of label and value, and one that
// exists for a value (whoever chose its name) is used again.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "control/volcano/hyper_node/hyper_node_discovery_config.h"
#include "control/volcano/volcano_controller.h"

namespace basalt::volcano {

struct DiscoveredHyperNode {
  size_t tier = 1;
  std::string label, value;
  std::vector<std::string> members;  // sorted, each once
};

// By name. Cost: O(nodes · labels · log), and O(HyperNodes) once.
[[nodiscard]] std::map<std::string, DiscoveredHyperNode> discover(const ControllerCache& seen,
                                                                  const LabelDiscovery& config);

// The writes after which the HyperNodes of source "label" are those, and no others.
void replace_hyper_nodes(const ControllerCache& seen, const std::map<std::string, DiscoveredHyperNode>& found,
                         WritePlan& plan);

}  // namespace basalt::volcano
