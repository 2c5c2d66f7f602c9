// Scores from requests and capacity: integers from 0 to 100, as Kubernetes 1.36 counts them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace basalt::plugins {

inline constexpr int64_t kMaxScore = 100;

// Of one dimension: what the node offers, what the pods in its view ask for, what the pod asks for.
struct Load {
  int64_t allocatable = 0;
  int64_t requested = 0;
  int64_t pod = 0;
};

// Mean over cpu and memory of the free percentage with the pod, 0 where it is over-committed. Dimensions the node does
// not offer are left out; none at all gives 0. Divisions round down, as everywhere below.
int64_t least_requested(const Load& cpu, const Load& memory);
// The same of the used percentage, at most 100.
int64_t most_requested(const Load& cpu, const Load& memory);

// cpu, memory and accelerators; a dimension with allocatable 0 does not take part.
inline constexpr size_t kBalancedDims = 3;
using Loads = std::array<Load, kBalancedDims>;
// How the pod changes the balance of the node: balance is 100 · (1 − standard deviation of the used fractions), rounded
// down; the score is 50 + (50 + balance with the pod − balance without it) / 2.
int64_t balance_change(const Loads& loads);

// Images that a node has already: `sum` is bytes, each image weighed by the share of nodes that have it; the range from
// 23 MiB to 1000 MiB per container becomes 0 to 100.
int64_t image_locality(int64_t sum, int32_t containers);

}  // namespace basalt::plugins
