#include "engine/plugins/nodeorder/pod_scores.h"

namespace basalt::plugins {

using model::TaskId;
using model::TermTally;

PodScores::Bound::Bound(const model::ClusterState& state, model::TopologyDomains& domains, TaskId task)
    : preferences(state, domains, task, model::preferred_terms, TermTally::Own::Each, model::preferred_terms),
      spread(state, domains, task, /*hard=*/false) {}

PodScores::Bound* PodScores::bind(TaskId task) {
  if (!classes_.concerns(state_.shape_of(task))) return nullptr;
  const uint32_t index = classes_.index_of(task);
  if (index >= bound_.size()) bound_.resize(index + size_t{1});
  std::unique_ptr<Bound>& bound = bound_[index];
  if (!bound) {
    if (bound_count_ == kMaxBound) {
      for (auto& old : bound_) old.reset();
      bound_count_ = 0;
    }
    bound = std::make_unique<Bound>(state_, domains_, task);
    ++bound_count_;
  }
  return bound.get();
}

}  // namespace basalt::plugins
