// The unit of an amount at rest, by the name of its resource.
//
// memory, ephemeral-storage and hugepages-… are bytes, pods are pods: whole numbers. All else (cpu, devices) is counted
// in thousandths. Volcano counts thousandths of a byte, too, for all but memory; so what it would say is computed here.
#pragma once

#include <string_view>

#include "engine/model/resource_vec.h"

namespace basalt::model {

inline constexpr Amount kMilliPerUnit = 1000;

[[nodiscard]] inline bool is_in_bytes(std::string_view resource) {
  return resource == "memory" || resource == "ephemeral-storage" || resource.starts_with("hugepages-");
}

[[nodiscard]] inline bool is_whole(std::string_view resource) { return resource == "pods" || is_in_bytes(resource); }

// What an amount is multiplied with to be in Volcano's unit, for comparisons and metrics.
[[nodiscard]] inline Amount volcano_factor(std::string_view resource) {
  return is_in_bytes(resource) && resource != "memory" ? kMilliPerUnit : 1;
}

}  // namespace basalt::model
