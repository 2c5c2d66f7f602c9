// Dominant resource fairness between jobs and, with enableHierarchy, between queues.
//
// Arguments: none. Switch enableHierarchy (off): queues form the tree of their volcano.sh/hierarchy annotations, see
// fair_tree.h.
//
// Hooks: job_order (smaller share first), preemptable, on_allocate, on_deallocate; with hierarchy also queue_order and
//        reclaimable.
// share(job) = max over the cluster's dimensions, pods included, of what the job holds / what the cluster has.
// preemptable: walking the candidates, each is taken from its job's account, chosen or not; it is a victim if the
//        preemptor's share with the task is below the victim's share without it, or within 1e-6.
// reclaimable: a victim counts if with the reclaimer's task in and the victim out the reclaimer's queue comes first.
//
// Pipelined tasks count as held. Cost: open O(1) a job without touching it (shares are computed when first asked); with
// hierarchy O(jobs). Placing a task O(dimensions); with hierarchy plus the jobs of its queue.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/core/session.h"
#include "engine/model/dominant_share.h"
#include "engine/plugins/drf/fair_tree.h"

namespace basalt::plugins {

class Drf {
 public:
  static constexpr std::string_view kName = "drf";
  static Result<Drf> make(const engine::Arguments& arguments);
  void open(engine::Session& session, engine::HookBinder& binder);

 private:
  engine::Order job_order(model::JobId a, model::JobId b);
  engine::Order queue_order(model::QueueId a, model::QueueId b);
  engine::Vote preemptable(model::TaskId preemptor, std::span<const model::TaskId> candidates,
                           std::vector<model::TaskId>& victims);
  engine::Vote reclaimable(model::TaskId reclaimer, std::span<const model::TaskId> candidates,
                           std::vector<model::TaskId>& victims);
  void on_allocate(model::TaskId task);
  void on_deallocate(model::TaskId task);

  void plant_tree();
  // The job of a task, if it takes part in this cycle.
  [[nodiscard]] model::JobId job_of(model::TaskId task) const;
  [[nodiscard]] const model::ResourceVec& held_by(model::JobId job) const;
  double share_of(model::JobId job);

  static constexpr uint32_t kNoAccount = UINT32_MAX;
  static constexpr double kUnknown = -1;

  engine::Session* session_ = nullptr;
  model::DominantShare whole_;
  IdVector<model::JobId, double> shares_;        // kUnknown until asked
  IdVector<model::JobId, uint32_t> account_of_;  // into accounts_: only jobs that this cycle moved have one
  std::vector<model::ResourceVec> accounts_;
  std::optional<FairTree> tree_;
};

}  // namespace basalt::plugins
