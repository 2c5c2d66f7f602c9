#include "engine/plugins/nodeorder/resource_scores.h"

#include <algorithm>
#include <cmath>

namespace basalt::plugins {

namespace {

constexpr int64_t kMiB = int64_t{1024} * 1024;
constexpr int64_t kLeastImageBytes = 23 * kMiB;
constexpr int64_t kMostImageBytesPerContainer = 1000 * kMiB;

template <class Percentage>
int64_t mean_over(const Load& cpu, const Load& memory, Percentage percentage) {
  int64_t sum = 0;
  int64_t dims = 0;
  for (const Load* load : {&cpu, &memory}) {
    if (load->allocatable == 0) continue;
    sum += percentage(load->requested + load->pod, load->allocatable);
    ++dims;
  }
  return dims == 0 ? 0 : sum / dims;
}

int64_t balance(const Loads& loads, bool with_pod) {
  std::array<double, kBalancedDims> fractions{};
  size_t dims = 0;
  double total = 0;
  for (const Load& load : loads) {
    if (load.allocatable == 0) continue;
    const int64_t used = load.requested + (with_pod ? load.pod : 0);
    fractions[dims] = std::min(1.0, static_cast<double>(used) / static_cast<double>(load.allocatable));
    total += fractions[dims++];
  }
  double deviation = 0;
  if (dims == 2) {
    deviation = std::abs((fractions[0] - fractions[1]) / 2);
  } else if (dims > 2) {
    const double mean = total / static_cast<double>(dims);
    double squares = 0;
    for (const double fraction : fractions) squares += (fraction - mean) * (fraction - mean);
    deviation = std::sqrt(squares / static_cast<double>(dims));
  }
  return static_cast<int64_t>((1 - deviation) * static_cast<double>(kMaxScore));
}

}  // namespace

int64_t least_requested(const Load& cpu, const Load& memory) {
  return mean_over(cpu, memory, [](int64_t used, int64_t allocatable) {
    return used > allocatable ? 0 : (allocatable - used) * kMaxScore / allocatable;
  });
}

int64_t most_requested(const Load& cpu, const Load& memory) {
  return mean_over(cpu, memory, [](int64_t used, int64_t allocatable) {
    return std::min(used, allocatable) * kMaxScore / allocatable;
  });
}

int64_t balance_change(const Loads& loads) {
  constexpr int64_t kHalf = kMaxScore / 2;
  return kHalf + (kHalf + balance(loads, /*with_pod=*/true) - balance(loads, /*with_pod=*/false)) / 2;
}

int64_t image_locality(int64_t sum, int32_t containers) {
  const int64_t most = kMostImageBytesPerContainer * containers;
  if (most <= kLeastImageBytes) return 0;
  return kMaxScore * (std::clamp(sum, kLeastImageBytes, most) - kLeastImageBytes) / (most - kLeastImageBytes);
}

}  // namespace basalt::plugins
