// Weighted max-min fairness: how much of a whole each of several claimants deserves.
//
// In rounds, what remains is offered to every claimant that is not yet met, by weight and all against the same rest. A
// claimant takes no more than its limit (a dimension the limit lacks is unlimited) and its request (a dimension it does
// not request: nothing), but no less than its guarantee. It is met when its request is covered or when a round brought
// it nothing. What was not taken is offered again, until less than kEps remains of everything or nothing moves.
//
// Example: cpu 10, weights 1:1, requests 2 and 10. Round one: 2 (met) and 5, rest 3. Round two: 8.
//
// The result does not depend on the order of claimants but for rounding: give them in name order. Cost: rounds ×
// claimants × dimensions; the rest shrinks geometrically, and kMaxRounds bounds it for extreme weights.
#pragma once

#include <span>

#include "engine/model/real_vec.h"

namespace basalt::model {

struct Claim {
  int32_t weight = 1;
  RealVec request, limit, guarantee;
  RealVec deserved;  // the answer
  bool met = false;
};

inline constexpr int kMaxRounds = 10'000;

void fill_by_weight(const RealVec& whole, std::span<Claim> claims);

}  // namespace basalt::model
