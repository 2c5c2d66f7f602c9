// What the tables of followed kinds have in common. A row has `kind` (an enumerator), `group`, `version` and `plural`.
#pragma once

#include <cstddef>
#include <string>

#include "kube/api/api_resource.h"

namespace basalt::loop {

// Rows are found by the number of their kind: for a static_assert beside each table.
template <class Rows>
constexpr bool in_order_of_kind(const Rows& rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (static_cast<size_t>(rows[i].kind) != i) return false;
  }
  return true;
}

template <class Row>
[[nodiscard]] api::GroupVersionResource resource_in(const Row& row) {
  return {.group = std::string(row.group), .version = std::string(row.version), .plural = std::string(row.plural)};
}

// "batch.volcano.sh/v1alpha1", or "v1" in the core group.
template <class Row>
[[nodiscard]] std::string api_version_in(const Row& row) {
  return row.group.empty() ? std::string(row.version) : std::string(row.group) + "/" + std::string(row.version);
}

}  // namespace basalt::loop
