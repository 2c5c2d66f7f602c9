// Do pods of several shapes fit beside each other?
//
// Each shape alone may fit, and all together not: 1 × 8 and 8 × 5 GPUs on eight nodes with 8. First the pods are placed
// the largest first; when that fails, all ways are looked at, up to kMaxPackingSteps. So Yes and No are certain, and
// Unknown means that there were too many ways. Rules between pods (anti-affinity, ports, spread) do not count: they
// could only turn a Yes into a No.
//
// Pure. Cost: O(nodes · shapes) for what fits at the first try, at most kMaxPackingSteps more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/model/resource_vec.h"

namespace basalt::state {

inline constexpr size_t kMaxPackingSteps = 50'000;
inline constexpr size_t kMaxPackedShapes = 64;

enum class Packs : uint8_t { Yes, No, Unknown };

struct PackedShape {
  model::Demand request;
  int32_t count = 0;
};

struct PackedNode {
  std::vector<model::Amount> room;  // by ResourceId; beyond its end there is nothing
  uint64_t takes = 0;               // a bit for each shape: it may run here
};

struct Packing {
  Packs packs = Packs::Unknown;
  size_t steps = 0;  // what the answer cost
};

// Shapes are tried in the order given: the largest first is best. More than kMaxPackedShapes: Unknown.
[[nodiscard]] Packing pack(std::span<const PackedShape> shapes, std::span<const PackedNode> nodes);

}  // namespace basalt::state
