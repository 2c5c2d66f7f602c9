#include "engine/plugins/predicates/pod_rules.h"

namespace basalt::plugins {

using model::NodeId;
using model::PodShape;
using model::TaskId;
using model::TermTally;

PodRules::Bound::Bound(const model::ClusterState& state, model::TopologyDomains& domains, TaskId task, Enabled enabled)
    : enabled_(enabled),
      affinity_(state, domains, task, model::required_affinity_terms, TermTally::Own::AllTogether, model::no_terms),
      anti_affinity_(state, domains, task, model::required_anti_affinity_terms, TermTally::Own::Each, model::no_terms),
      existing_(state, domains, task, model::no_terms, TermTally::Own::Each, model::required_anti_affinity_terms),
      spread_(state, domains, task, /*hard=*/true) {
  const model::Task& pod = state.task(task);
  matches_own_affinity_ = model::matches_all(state.shapes[pod.shape].required_affinity, pod.ns, pod.labels, state);
}

void PodRules::Bound::sync() {
  if (enabled_.affinity) {
    if (affinity_.has_own_terms()) affinity_.sync();
    if (anti_affinity_.has_own_terms()) anti_affinity_.sync();
    existing_.sync();
  }
  if (enabled_.spread) spread_.sync();
}

PodRules::Answer PodRules::Bound::judge_affinity(NodeId node) const {
  switch (affinity_.own_presence(node)) {
    case TermTally::Presence::Missing:
      return Answer::Affinity;
    case TermTally::Presence::SomeEmpty:
      // The first pod of a group with affinity to itself would wait for ever: it may start the group where it likes.
      if (!affinity_.nothing_counts() || !matches_own_affinity_) return Answer::Affinity;
      break;
    case TermTally::Presence::AllCounted:
      break;
  }
  if (anti_affinity_.sum(node) > 0) return Answer::AntiAffinity;
  if (existing_.sum(node) > 0) return Answer::ExistingAntiAffinity;
  return Answer::Fits;
}

bool PodRules::reaches_cluster(const PodShape& shape) const {
  const bool terms = !shape.required_affinity.empty() || !shape.required_anti_affinity.empty();
  return (enabled_.affinity && terms) || (enabled_.spread && model::has_spread(shape, /*hard=*/true));
}

const PodRules::Bound* PodRules::bind(TaskId task) {
  Bound* bound = bound_.of(task, enabled_);
  if (bound != nullptr) bound->sync();
  return bound;
}

}  // namespace basalt::plugins
