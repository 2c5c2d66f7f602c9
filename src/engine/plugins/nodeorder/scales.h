// How raw scores become 0 to 100 over the candidate nodes: one function per part, integers rounded as Kubernetes does.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/core/hook_table.h"
#include "engine/plugins/nodeorder/resource_scores.h"

namespace basalt::plugins {

// Share of the largest; nothing to share gives 0. Requires: raw ≥ 0.
inline double scale_to_max(int64_t raw, int64_t /*min*/, int64_t max) {
  return max <= 0 ? 0.0 : static_cast<double>(kMaxScore * raw / max);
}

// The reverse: the largest gets 0; if all are 0 they all get 100.
inline double scale_reversed(int64_t raw, int64_t /*min*/, int64_t max) {
  return static_cast<double>(max <= 0 ? kMaxScore : kMaxScore - kMaxScore * raw / max);
}

// Place between smallest and largest, cut to an integer; no difference gives 0.
inline double scale_between(int64_t raw, int64_t min, int64_t max) {
  if (max <= min) return 0.0;
  const double share = static_cast<double>(raw - min) / static_cast<double>(max - min);
  return static_cast<double>(static_cast<int64_t>(static_cast<double>(kMaxScore) * share));
}

// Spreading: fewer is better. A node that is ignored gets 0; if nothing is anywhere, every other node gets 100.
inline double scale_spread(int64_t raw, int64_t min, int64_t max) {
  if (raw == engine::kIgnoredRaw) return 0.0;
  return static_cast<double>(max <= 0 ? kMaxScore : kMaxScore * (max + min - raw) / max);
}

}  // namespace basalt::plugins
