#include "engine/model/water_filling.h"

#include <vector>

namespace basalt::model {

namespace {

void offer(Claim& claim, const RealVec& rest, double part) {
  claim.deserved.add_scaled(rest, part);
  claim.deserved.cap_by(claim.limit, Absent::Unlimited);
  claim.deserved.cap_by(claim.request, Absent::Nothing);
  claim.deserved.raise_to(claim.guarantee);
}

// What the claimants of one round took and gave back, by dimension.
struct Flow {
  std::vector<double> taken, returned;

  void clear() {
    std::fill(taken.begin(), taken.end(), 0);
    std::fill(returned.begin(), returned.end(), 0);
  }
  void add(const RealVec& before, const RealVec& after) {
    if (after.size() > taken.size()) {
      taken.resize(after.size(), 0);
      returned.resize(after.size(), 0);
    }
    for (size_t i = 0; i < after.size(); ++i) {
      const double change = after[ResourceId(i)] - before[ResourceId(i)];
      (change > 0 ? taken : returned)[i] += std::abs(change);
    }
  }
  [[nodiscard]] RealVec rest_of(const RealVec& rest) const {
    RealVec after;
    for (size_t i = 0; i < std::max(rest.size(), taken.size()); ++i) {
      const double back = i < taken.size() ? returned[i] : 0;
      const double gone = i < taken.size() ? taken[i] : 0;
      const double left = rest[ResourceId(i)] + back;
      if (left > gone) after.set(ResourceId(i), left - gone);
    }
    return after;
  }
};

}  // namespace

void fill_by_weight(const RealVec& whole, std::span<Claim> claims) {
  RealVec rest = whole;
  RealVec before;
  Flow flow;
  for (int round = 0; round < kMaxRounds; ++round) {
    int64_t weights = 0;
    for (const Claim& claim : claims) weights += claim.met ? 0 : claim.weight;
    if (weights == 0) return;
    flow.clear();
    for (Claim& claim : claims) {
      if (claim.met) continue;
      before = claim.deserved;
      offer(claim, rest, static_cast<double>(claim.weight) / static_cast<double>(weights));
      claim.met = less_equal(claim.request, claim.deserved) || claim.deserved == before;
      flow.add(before, claim.deserved);
    }
    RealVec left = flow.rest_of(rest);
    if (left.is_empty() || left == rest) return;
    rest = std::move(left);
  }
}

}  // namespace basalt::model
