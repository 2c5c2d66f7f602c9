// Queues with what they deserve, are guaranteed and may have at most (spec.deserved, guarantee, capability).
//
// A queue may grow to its capability while others leave room; what it holds above deserved may be reclaimed, never
// below its guarantee. With enableHierarchy queues form a tree by spec.parent, see queue_tree.h.
//
// Arguments:
//   ancestorReclaimLevel (0; negative: 0)  with hierarchy: how many ancestors, from the parent up and without root,
//                                          have a say in reclaim
//   staleAncestorShares (false)            with hierarchy: shares of inner queues stay as they were when the cycle
//                                          began, as in Volcano; see docs/compat.md
//   capacity.DynamicResourceAllocationEnable, capacity.DRAConsumableCapacityEnable
//                                          read and checked; device quotas are not enforced yet
// Not here yet: amounts reserved by the queue admission gate (feature gate SchedulingGatesQueueAdmission, off).
//
// Hooks: queue_order, victim_queue_order (hierarchy), allocatable, preemptive, reclaimable, job_enqueueable,
//        job_enqueued, on_allocate, on_deallocate, queue_limits, job_inputs.
// queue_order   priority; with hierarchy leaf before inner, then the two ancestors just below the deepest common one;
//               share ascending; on equal share a queue that deserves something first.
// allocatable   the queue is open and a leaf; the task fits below the limit of the queue and of every ancestor.
// preemptive    the queue is open, the task fits below its limit, and in some requested dimension it stays within what
//               the queue deserves, or with ancestorReclaimLevel within what one of those ancestors deserves.
// reclaimable   see reclaim.cc.
// enqueueable   minResources + allocated + inqueue − elastic ≤ limit, for the queue and every ancestor.
// Cost: open O(jobs + queues · depth); hooks O(dimensions · depth).
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "engine/core/session.h"
#include "engine/plugins/capacity/queue_tree.h"

namespace basalt::plugins {

class Capacity {
 public:
  static constexpr std::string_view kName = "capacity";
  static Result<Capacity> make(const engine::Arguments& arguments);
  void open(engine::Session& session, engine::HookBinder& binder);

 private:
  engine::Order queue_order(model::QueueId a, model::QueueId b);
  engine::Order tree_order(model::QueueId a, model::QueueId b);
  engine::Order victim_queue_order(model::QueueId a, model::QueueId b, model::QueueId preemptor);
  bool allocatable(model::QueueId queue, model::TaskId task);
  bool preemptive(model::QueueId queue, model::TaskId task);
  engine::Vote reclaimable(model::TaskId reclaimer, std::span<const model::TaskId> candidates,
                           std::vector<model::TaskId>& victims);
  engine::Vote job_enqueueable(model::JobId job);
  void job_enqueued(model::JobId job);
  void queue_limits(model::QueueId queue, std::vector<engine::QueueLimit>& limits);
  void on_allocate(model::TaskId task);
  void on_deallocate(model::TaskId task);
  void job_inputs(model::JobId job, Fingerprint& inputs);

  void bind(engine::HookBinder& binder);
  void charge(model::TaskId task, model::Amount sign);
  // The queue of the task's job; none if the task belongs to no job that takes part in this cycle.
  [[nodiscard]] model::QueueId queue_of(model::TaskId task) const;
  [[nodiscard]] bool open_for_jobs(model::QueueId queue) const;
  // The ancestor `level` steps up (1: the parent); none above root and for root itself.
  [[nodiscard]] model::QueueId ancestor_at(const QueueNode& node, size_t level) const;

  // What queues would hold while victims are picked.
  using Balances = std::map<model::QueueId, model::ResourceVec>;
  [[nodiscard]] bool is_victim(model::TaskId reclaimer, model::TaskId candidate, Balances& balances) const;
  [[nodiscard]] bool share_an_ancestor(const QueueNode& a, const QueueNode& b) const;
  model::ResourceVec& balance(model::QueueId queue, Balances& balances) const;

  size_t ancestor_level_ = 0;
  bool hierarchy_ = false;
  bool stale_ancestor_shares_ = false;
  engine::Session* session_ = nullptr;
  QueueNodes nodes_;
};

}  // namespace basalt::plugins
