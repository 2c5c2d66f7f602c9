// The dimension in which most is missing, measured against what there is; ties by name.
#pragma once

#include <algorithm>

#include "engine/model/resource_vec.h"

namespace basalt::state {

class WorstDimension {
 public:
  // Requires: `schema` outlives it.
  explicit WorstDimension(const model::ResourceSchema& schema) : schema_(schema) {}

  void consider(model::ResourceId id, model::Amount wanted, model::Amount there) {
    if (wanted <= there) return;
    const double ratio = static_cast<double>(wanted) / static_cast<double>(std::max<model::Amount>(there, 1));
    if (id_.valid() && (ratio < ratio_ || (ratio == ratio_ && schema_.name(id) > schema_.name(id_)))) return;
    id_ = id;
    ratio_ = ratio;
  }
  [[nodiscard]] model::ResourceId id() const { return id_; }
  explicit operator bool() const { return id_.valid(); }  // something is missing

 private:
  const model::ResourceSchema& schema_;
  model::ResourceId id_;
  double ratio_ = 0;
};

}  // namespace basalt::state
