// task-topology: the tasks of one job near each other or apart, by role.
//
// A pod group says which of its roles belong together (role_relations.h); its tasks are then sorted into buckets, each
// meant for one node (buckets.h). Jobs without these annotations are not affected.
//
// Arguments:
//   task-topology.weight   multiplies the score (1)
//
//   task_order   tasks in a bucket first, of the bucket with more waiting tasks, then of the older one; inside a bucket
//                by the rank of their role
//   score        weight · 100 · (the bucket's score on the node) / (the largest bucket of the job)
//   on_allocate, on_deallocate   move a task between waiting and placed
//
// Buckets are built anew when a cycle opens. A placement changes a bucket's score on every node, so these classes are
// scored anew after each one (Reach::Cluster), and classes are signed anew when buckets differ from the last cycle's.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/core/plugin.h"
#include "engine/plugins/task_topology/buckets.h"

namespace basalt::plugins {

class TaskTopology {
 public:
  static constexpr std::string_view kName = "task-topology";
  static Result<TaskTopology> make(const engine::Arguments& arguments);
  void open(engine::Session& session, engine::HookBinder& binder);

  [[nodiscard]] engine::Order task_order(model::TaskId a, model::TaskId b) const;
  void raw_score(const engine::RawCall& call) const;
  [[nodiscard]] engine::Reach reach(model::TaskId task) const;
  void sign(model::TaskId task, engine::ClassKey& key) const;
  void sign_epoch(Fingerprint& epoch) const;
  void on_allocate(model::TaskId task);
  void on_deallocate(model::TaskId task);

 private:
  [[nodiscard]] const JobBuckets* buckets_of(model::TaskId task) const;

  int64_t weight_ = 1;
  const engine::Session* session_ = nullptr;
  std::vector<JobBuckets> jobs_;
  IdVector<model::JobId, uint32_t> index_;                   // into jobs_, plus 1; 0: no topology
  std::unordered_map<model::TaskId, model::NodeId> placed_;  // in this cycle: where to take back from
};

}  // namespace basalt::plugins
