#include "engine/model/topology_domains.h"

#include <unordered_map>

namespace basalt::model {

const DomainMap& TopologyDomains::operator[](NameId key) {
  auto [at, is_new] = maps_.try_emplace(key);
  if (!is_new) return at->second;
  DomainMap& map = at->second;
  map.of.assign(state_.node_rows(), kNoDomain);
  std::unordered_map<NameId, uint32_t> numbers;
  for (const NodeId node : state_.nodes_by_name()) {
    const NameId value = find_label(state_.node(node).labels, key);
    if (!value.valid()) continue;
    const auto [number, is_new_value] = numbers.try_emplace(value, map.count);
    if (is_new_value) ++map.count;
    map.of[node] = number->second;
  }
  return map;
}

}  // namespace basalt::model
