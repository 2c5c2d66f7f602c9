// Nodes grouped by the value of a label: zones, racks, hosts.
//
// The domains of a key are numbered densely, so that counts per domain are plain vectors. Numbers follow the order of
// names of nodes. Valid for one cycle: node labels do not change while it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "engine/model/cluster_state.h"

namespace basalt::model {

inline constexpr uint32_t kNoDomain = std::numeric_limits<uint32_t>::max();

struct DomainMap {
  IdVector<NodeId, uint32_t> of;  // kNoDomain: the node lacks the label
  uint32_t count = 0;
};

class TopologyDomains {
 public:
  explicit TopologyDomains(const ClusterState& state) : state_(state) {}
  // The domains of `key`; the reference lives as long as this object. Cost: O(nodes) the first time, then a lookup.
  const DomainMap& operator[](NameId key);

 private:
  const ClusterState& state_;
  std::map<NameId, DomainMap> maps_;
};

}  // namespace basalt::model
