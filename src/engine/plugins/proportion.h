// Divides the cluster between queues by weight.
//
// Every queue that has jobs deserves a part of the cluster (weighted_parts.h): by weight, up to what it requests
// and may have (capability), at least its guarantee. A queue that has its part is overused; tasks are placed only
// within it; running tasks beyond it may be reclaimed. Queues without jobs take part only with their guarantee.
//
// Arguments: none.
//
// Hooks: queue_order (priority, then share), overused, allocatable, preemptive, reclaimable, job_enqueueable,
//        job_enqueued, on_allocate, on_deallocate, queue_limits, job_inputs.
// share = max over dimensions of allocated / deserved. Enqueue asks for
//        minResources + allocated + inqueue − elastic ≤ real capability, on the dimensions minResources names.
// Cost: open O(jobs + queues · rounds); every hook O(dimensions).
#pragma once

#include <string_view>
#include <vector>

#include "engine/core/session.h"
#include "engine/plugins/weighted_parts.h"

namespace basalt::plugins {

class Proportion {
 public:
  static constexpr std::string_view kName = "proportion";
  static Result<Proportion> make(const engine::Arguments& arguments);
  void open(engine::Session& session, engine::HookBinder& binder);

 private:
  engine::Order queue_order(model::QueueId a, model::QueueId b);
  bool overused(model::QueueId queue);
  void queue_limits(model::QueueId queue, std::vector<engine::QueueLimit>& limits);
  bool allocatable(model::QueueId queue, model::TaskId task);
  engine::Vote reclaimable(model::TaskId reclaimer, std::span<const model::TaskId> candidates,
                           std::vector<model::TaskId>& victims);
  engine::Vote job_enqueueable(model::JobId job);
  void job_enqueued(model::JobId job);
  void on_allocate(model::TaskId task);
  void on_deallocate(model::TaskId task);
  void job_inputs(model::JobId job, Fingerprint& inputs);

  // The queue of the task's job; none if the task belongs to no job that takes part in this cycle.
  [[nodiscard]] model::QueueId queue_of(model::TaskId task) const;

  engine::Session* session_ = nullptr;
  WeightedParts accounts_;
};

}  // namespace basalt::plugins
