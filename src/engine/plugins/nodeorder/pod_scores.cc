#include "engine/plugins/nodeorder/pod_scores.h"

namespace basalt::plugins {

using model::TaskId;
using model::TermTally;

PodScores::Bound::Bound(const model::ClusterState& state, model::TopologyDomains& domains, TaskId task)
    : preferences(state, domains, task, model::preferred_terms, TermTally::Own::Each, model::preferred_terms),
      spread(state, domains, task, /*hard=*/false) {}

}  // namespace basalt::plugins
