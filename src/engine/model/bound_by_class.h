// What rules about other pods know of one class of pods (pod_classes.h), made when it is first asked for.
//
// Each value holds a few numbers per node, so at most kMaxBound are kept: when one more is needed, all are made anew as
// they are asked for. Lives for one cycle. Cost: that of a class's signature, and of making the value once.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <vector>

#include "engine/model/pod_affinity.h"
#include "engine/model/pod_classes.h"

namespace basalt::model {

template <class Bound>
class BoundByClass {
 public:
  static constexpr size_t kMaxBound = 256;

  // Requires: the state outlives it.
  explicit BoundByClass(const ClusterState& state) : state_(state), classes_(state), domains_(state) {}

  [[nodiscard]] const PodClasses& classes() const { return classes_; }
  // The value for tasks like `task`, made by Bound(state, domains, task, more…); nullptr if no rule about other pods
  // has an opinion. Valid until the next call.
  template <class... More>
    requires std::constructible_from<Bound, const ClusterState&, TopologyDomains&, TaskId, const More&...>
  Bound* of(TaskId task, const More&... more) {
    if (!classes_.concerns(state_.shape_of(task))) return nullptr;
    const uint32_t index = classes_.index_of(task);
    if (index >= bound_.size()) bound_.resize(index + size_t{1});
    std::unique_ptr<Bound>& bound = bound_[index];
    if (!bound) {
      if (count_ == kMaxBound) {
        for (auto& old : bound_) old.reset();
        count_ = 0;
      }
      bound = std::make_unique<Bound>(state_, domains_, task, more...);
      ++count_;
    }
    return bound.get();
  }

 private:
  const ClusterState& state_;
  PodClasses classes_;
  TopologyDomains domains_;
  std::vector<std::unique_ptr<Bound>> bound_;  // by class
  size_t count_ = 0;
};

}  // namespace basalt::model
