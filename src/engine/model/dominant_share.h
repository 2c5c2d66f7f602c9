// The dominant share: the largest part that an owner has of any dimension of a whole.
//
// share = max over the dimensions of the whole of used / whole. Dimensions of which the whole has less than kEps are
// left out; pods is a dimension like any other. Cost of a question: one division for each dimension of the whole.
#pragma once

#include <span>
#include <vector>

#include "engine/model/real_vec.h"

namespace basalt::model {

class DominantShare {
 public:
  struct Part {
    ResourceId id;
    double whole = 0;
  };

  DominantShare() = default;
  explicit DominantShare(const RealVec& whole) {
    for (size_t i = 0; i < whole.size(); ++i) {
      if (const ResourceId id(i); whole[id] >= kEps) parts_.push_back({.id = id, .whole = whole[id]});
    }
  }

  [[nodiscard]] double of(const ResourceVec& used) const {
    double most = 0;
    for (const Part& part : parts_) most = std::max(most, static_cast<double>(used[part.id]) / part.whole);
    return most;
  }
  // The whole is used up: whole ≤ used in every dimension, within kEps.
  [[nodiscard]] bool exhausted_by(const ResourceVec& used) const {
    return std::all_of(parts_.begin(), parts_.end(), [&](const Part& part) {
      return about_less_equal(part.whole, static_cast<double>(used[part.id]));
    });
  }
  [[nodiscard]] std::span<const Part> parts() const { return parts_; }

 private:
  std::vector<Part> parts_;
};

}  // namespace basalt::model
