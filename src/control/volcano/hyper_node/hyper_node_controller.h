// HyperNodes: how many nodes they have, and making them from node labels.
//
// status.nodeCount is the number of distinct names that the members select: an exact name counts even without such a
// node, patterns and label selectors count nodes that are there. It is counted again when nodes come, go or change
// their labels.
//
// Discovery (hyper_node_discovery.h) follows the ConfigMap options.topology_config in the home namespace. While its
// source "label" is on, the HyperNodes labelled volcano.sh/network-topology-source=label are exactly what the labels of
// the nodes say: missing ones are created, others brought in step, the rest deleted. Off, or with a configuration that
// cannot be read, they stay as they are. The source "ufm" is not here.
//
// Items are names of HyperNodes, kDiscoveryItem, and kNodesItem: count all whose members depend on the nodes.
#pragma once

#include <string_view>

#include "control/volcano/volcano_controller.h"

namespace basalt::volcano {

// No names of objects.
inline constexpr std::string_view kDiscoveryItem = "*label";
inline constexpr std::string_view kNodesItem = "*nodes";

[[nodiscard]] VolcanoController hyper_node_controller();

}  // namespace basalt::volcano
