#include "engine/plugins/weighted_parts.h"

#include <algorithm>
#include <vector>

#include "engine/model/water_filling.h"

namespace basalt::plugins {

using model::QueueId;
using model::RealVec;

WeightedParts divide_by_weight(const model::ClusterState& state, std::span<const model::JobId> jobs) {
  WeightedParts parts(state.queue_rows());
  for (const model::JobId id : jobs) {
    const model::Job& job = state.job(id);
    WeightedPart& part = parts[job.queue_id];
    part.present = true;
    part.usage.charge(job);
  }
  const RealVec whole(state.total_allocatable());
  RealVec guarantees;
  std::vector<QueueId> claimants;
  for (size_t q = 0; q < parts.size(); ++q) {
    const QueueId id(q);
    if (state.queue(id).alive) guarantees.add(RealVec(state.queue(id).guarantee));
    if (parts[id].present) claimants.push_back(id);
  }
  std::sort(claimants.begin(), claimants.end(),
            [&](QueueId a, QueueId b) { return state.queue(a).name < state.queue(b).name; });

  std::vector<model::Claim> claims;
  claims.reserve(claimants.size());
  for (const QueueId id : claimants) {
    const model::Queue& queue = state.queue(id);
    WeightedPart& part = parts[id];
    part.limit = model::real_capability(whole, guarantees, queue);
    claims.push_back({.weight = queue.weight,
                      .request = RealVec(part.usage.request),
                      .limit = part.limit,
                      .guarantee = RealVec(queue.guarantee)});
  }
  model::fill_by_weight(whole, claims);
  for (size_t i = 0; i < claimants.size(); ++i) {
    WeightedPart& part = parts[claimants[i]];
    part.deserved = std::move(claims[i].deserved);
    part.whole = model::DominantShare(part.deserved);
    part.share = part.whole.of(part.usage.allocated);
  }
  return parts;
}

}  // namespace basalt::plugins
