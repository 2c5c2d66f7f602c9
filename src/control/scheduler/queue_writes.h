// Queue status: what the jobs of each queue hold, also summed into the queues above it.
//
// Only status.allocated is ours; state and counters belong to the controller, and a merge patch leaves them alone.
// Written when it differs from what the queue says, at most every kQueueStatusEvery.
#pragma once

#include <optional>

#include "control/scheduler/cycle_output.h"
#include "control/scheduler/scheduler_cache.h"
#include "engine/model/cluster_state.h"

namespace basalt::scheduler {

inline constexpr Duration kQueueStatusEvery = Duration::seconds(1);
inline constexpr Duration kQueueStatusRetry = Duration::seconds(5);
inline constexpr size_t kMaxQueueDepth = 64;  // levels of queues; a ring of parents ends here

// What every living queue holds, by its row. Cost: O(jobs × depth).
[[nodiscard]] IdVector<model::QueueId, model::ResourceVec> allocated_by_queue(const model::ClusterState& state);
// As the API writes it: cpu and memory always, others when there is something.
[[nodiscard]] api::ResourceList to_resource_list(const model::ResourceVec& amounts,
                                                 const model::ResourceSchema& schema);

class QueueWrites {
 public:
  // Requires: both outlive it.
  QueueWrites(const model::ClusterState& state, SchedulerCache& cache) : state_(state), cache_(cache) {}

  // Something that queues may hold has changed.
  void note_change() { changed_ = true; }
  // Compares and writes, if something changed and it is time.
  void write_due(Instant now, CycleOutput& out);
  void answered(const PendingWrite& write, bool good, Instant now);
  [[nodiscard]] std::optional<Instant> next_due() const;

 private:
  const model::ClusterState& state_;
  SchedulerCache& cache_;
  bool changed_ = false;
  Instant not_before_;
};

}  // namespace basalt::scheduler
