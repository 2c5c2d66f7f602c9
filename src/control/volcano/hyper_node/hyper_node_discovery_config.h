// What volcano-controller.conf says about discovering HyperNodes.
//
//   networkTopologyDiscovery:
//     - source: label
//       enabled: true
//       config:
//         networkTopologyTypes:
//           topologyA3: [{nodeLabel: volcano.sh/hypercluster}, {nodeLabel: volcano.sh/hypernode}, …]   # from the top
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace basalt::volcano {

inline constexpr std::string_view kDiscoveryKey = "volcano-controller.conf";
inline constexpr size_t kMaxTopologyNameBytes = 20;
inline constexpr size_t kMaxTiers = 32;
inline constexpr size_t kMaxTopologies = 256;

struct LabelTopology {
  std::string name;                 // as written
  std::vector<std::string> labels;  // of nodes, from the lowest tier up; without kubernetes.io/hostname at the bottom
};

struct LabelDiscovery {
  bool enabled = false;
  std::vector<LabelTopology> topologies;  // by name
  std::vector<std::string> complaints;    // about topologies that are left out
};

// An error is about the file as a whole. Only the source "label" is looked at. Cost: O(text).
[[nodiscard]] Result<LabelDiscovery> read_label_discovery(std::string_view yaml);

// "hypernode-<name in lower case, other characters than letters, digits, '.' and '-' as '-'>-tier<n>-".
[[nodiscard]] std::string hyper_node_prefix(const LabelTopology& topology, size_t tier);

}  // namespace basalt::volcano
