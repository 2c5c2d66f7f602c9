// The cluster as tables: the one mutable thing that a cycle works on, living across cycles.
//
// Two kinds of change exist:
//  * events (upsert_…, remove_…): what happened in the cluster. Cost O(the change).
//  * moves (move_task): what a cycle tries. Every move is undone by the move back; see engine/core/statement.h.
//
// Invariants (verify() recounts them):
//  1. idle = allocatable − requests of tasks on the node that are not Pipelined;
//     future idle = idle + releasing − requests of Pipelined tasks.
//  2. a job's counts and sums equal a recount over its tasks.
//  3. every change to what a placement could see on a node appends that node to the touch log.
//
// Rows are recycled; ids say nothing about order. Decisions order by name, creation time or uid, never by id.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/string_pool.h"
#include "engine/model/image_index.h"
#include "engine/model/job.h"
#include "engine/model/namespace_limits.h"
#include "engine/model/node.h"
#include "engine/model/queue.h"
#include "engine/model/task.h"
#include "engine/model/touch_log.h"

namespace basalt::model {

// What an engine keeps beside the state from cycle to cycle (class columns, failure memory). Opaque here.
struct EngineMemory {
  EngineMemory() = default;
  EngineMemory(const EngineMemory&) = delete;
  EngineMemory& operator=(const EngineMemory&) = delete;
  virtual ~EngineMemory() = default;
};

class ClusterState {
 public:
  ClusterState();
  ClusterState(const ClusterState&) = delete;
  ClusterState& operator=(const ClusterState&) = delete;

  // ---- shared vocabularies ------------------------------------------------------------------------------------
  StringPool names;
  ResourceSchema schema;
  ShapePool shapes;
  LabelSetPool label_sets;

  // ---- events -------------------------------------------------------------------------------------------------
  NodeId upsert_node(NodeSpec spec);
  void remove_node(std::string_view name);
  QueueId upsert_queue(QueueSpec spec);
  void remove_queue(std::string_view name);
  JobId upsert_job(JobSpec spec);
  void remove_job(std::string_view ns, std::string_view name);
  // A new uid creates a task; a known one updates it in place. Status and node are taken from the spec. One that says
  // what is known already is no event: mostly the echo of a status write of our own.
  TaskId upsert_task(const TaskSpec& spec);
  void remove_task(std::string_view uid);
  void upsert_priority_class(std::string_view name, int32_t value, bool global_default);
  void remove_priority_class(std::string_view name);
  // The outcome of a cycle's status report, once written; keeps phase and conditions for the next comparison.
  void set_job_status(JobId job, PodGroupStatus status);

  NamespaceLimits
      limits;  // ResourceQuotas, PodDisruptionBudgets, namespace labels: small tables with their own upserts

  ImageIndex images;  // kept by upsert_node and remove_node

  // ---- moves --------------------------------------------------------------------------------------------------
  // Puts the task into `status` on `node` (none for Pending) and into or out of the node's pod view.
  void move_task(TaskId task, TaskStatus status, NodeId node, bool in_view);
  // The phase a cycle gives a job (Inqueue); the report compares it with what is written.
  void set_phase(JobId job, PodGroupPhase phase) { jobs_[job].status.phase = phase; }
  void clear_nomination(TaskId task) { tasks_[task].nominated = NodeId(); }

  // ---- rows ---------------------------------------------------------------------------------------------------
  [[nodiscard]] const Node& node(NodeId id) const { return nodes_[id]; }
  [[nodiscard]] const Task& task(TaskId id) const { return tasks_[id]; }
  [[nodiscard]] const Job& job(JobId id) const { return jobs_[id]; }
  [[nodiscard]] const Queue& queue(QueueId id) const { return queues_[id]; }
  [[nodiscard]] const PodShape& shape_of(TaskId id) const { return shapes[tasks_[id].shape]; }
  // Table sizes, dead rows included: ids run below these.
  [[nodiscard]] size_t node_rows() const { return nodes_.size(); }
  [[nodiscard]] size_t task_rows() const { return tasks_.size(); }
  [[nodiscard]] size_t job_rows() const { return jobs_.size(); }
  [[nodiscard]] size_t queue_rows() const { return queues_.size(); }
  [[nodiscard]] NodeId find_node(std::string_view name) const;
  [[nodiscard]] JobId find_job(std::string_view ns, std::string_view name) const;
  [[nodiscard]] QueueId find_queue(std::string_view name) const;
  [[nodiscard]] TaskId find_task(std::string_view uid) const;
  // Living nodes by name. Cost: a sort when the set of nodes changed, else O(1).
  [[nodiscard]] std::span<const NodeId> nodes_by_name() const;

  // ---- node capacity, one row per NodeId ----------------------------------------------------------------------
  [[nodiscard]] std::span<const Amount> allocatable(NodeId n) const { return allocatable_.row(n.index()); }
  [[nodiscard]] std::span<const Amount> idle(NodeId n) const { return idle_.row(n.index()); }
  [[nodiscard]] std::span<const Amount> future_idle(NodeId n) const { return future_idle_.row(n.index()); }
  [[nodiscard]] std::span<const Amount> releasing(NodeId n) const { return releasing_.row(n.index()); }
  // Requests of the pods in the node's view.
  [[nodiscard]] std::span<const Amount> view_requested(NodeId n) const { return view_requested_.row(n.index()); }
  [[nodiscard]] Amount used(NodeId n, ResourceId r) const {
    return allocatable_.at(n.index(), r) - idle_.at(n.index(), r);
  }
  [[nodiscard]] const ResourceVec& total_allocatable() const { return total_allocatable_; }
  [[nodiscard]] const ResourceVec& total_used() const { return total_used_; }
  // Tasks in some node's view that have pod affinity or anti-affinity terms, in no particular order.
  [[nodiscard]] std::span<const TaskId> tasks_with_pod_terms() const { return tasks_with_pod_terms_; }
  // Some living task, placed or pending, has pod affinity or anti-affinity terms.
  [[nodiscard]] bool any_pod_terms() const { return pod_term_tasks_ > 0; }

  // ---- versions -----------------------------------------------------------------------------------------------
  const TouchLog& touches() const { return touches_; }
  TouchLog& touches() { return touches_; }
  [[nodiscard]] uint64_t version() const { return version_; }              // any event
  [[nodiscard]] uint64_t freed_version() const { return freed_version_; }  // an event that may let a pod fit
  [[nodiscard]] uint64_t node_set_version() const { return node_set_version_; }
  [[nodiscard]] uint64_t pod_terms_version() const { return pod_terms_version_; }
  void note_freed() { ++freed_version_; }
  [[nodiscard]] uint64_t placed_version() const { return placed_version_; }  // a pod came to a node for good
  void note_placed() { ++placed_version_; }
  // A number no earlier Task::class_note_epoch has.
  uint32_t new_class_epoch() { return ++class_epochs_; }
  // After a change to `limits`: namespace labels are an input of pod affinity.
  void note_limits_changed() {
    ++pod_terms_version_;
    event(/*may_free=*/true);
  }

  std::unique_ptr<EngineMemory> memory;

  // Recounts everything that is kept incrementally; "" if all agrees, else what differs. Cost: O(state).
  [[nodiscard]] std::string verify() const;
  // A fingerprint of everything decisions depend on, independent of row order. Cost: O(state).
  [[nodiscard]] uint64_t hash() const;

 private:
  void attach_to_node(TaskId id, NodeId node, bool in_view);
  void detach_from_node(TaskId id);
  void account(NodeId node, TaskStatus status, DemandSpan request, Amount sign);
  void add_to_view(TaskId id);
  void remove_from_view(TaskId id);
  void count_in_job(TaskId id, int32_t sign);
  void join_job(TaskId id, std::string_view group);
  void leave_job(TaskId id);
  void place_in_job(TaskId id);
  void rebuild_job(JobId id);
  void drop_job_if_unused(JobId id);
  void resolve_queue(JobId id);
  void resolve_priority(Job& job) const;
  JobId job_row(std::string_view ns, std::string_view name);
  void widen_tables();
  void event(bool may_free);
  [[nodiscard]] bool says_nothing_new(const Task& task, const TaskSpec& spec) const;
  void fill_task(Task& task, const TaskSpec& spec);
  void take_out(TaskId id);
  void resolve_nominations(NameId node_name);

  IdVector<NodeId, Node> nodes_;
  IdVector<TaskId, Task> tasks_;
  IdVector<JobId, Job> jobs_;
  IdVector<QueueId, Queue> queues_;
  std::vector<NodeId> free_nodes_;
  std::vector<TaskId> free_tasks_;
  std::vector<JobId> free_jobs_;
  std::vector<QueueId> free_queues_;
  std::unordered_map<std::string, NodeId> node_ids_;
  std::unordered_map<std::string, TaskId> task_ids_;  // by uid
  std::unordered_map<std::string, JobId> job_ids_;    // by "namespace/name"
  std::unordered_map<std::string, QueueId> queue_ids_;
  std::map<std::string, std::vector<TaskId>, std::less<>> waiting_for_node_;  // bound to a node that is not here

  std::map<NameId, std::vector<TaskId>> nominations_;  // by the node's name, whether it is here or not

  ResourceMatrix allocatable_, idle_, future_idle_, releasing_, view_requested_;
  ResourceVec total_allocatable_, total_used_;
  std::vector<TaskId> tasks_with_pod_terms_;

  struct PriorityClass {
    int32_t value = 0;
    bool global_default = false;
  };
  std::map<std::string, PriorityClass, std::less<>> priority_classes_;

  TouchLog touches_;
  uint64_t version_ = 1;
  uint64_t freed_version_ = 1;
  uint64_t placed_version_ = 1;
  uint64_t node_set_version_ = 1;
  uint64_t pod_terms_version_ = 1;
  uint64_t task_generation_ = 0;
  uint32_t class_epochs_ = 0;
  size_t pod_term_tasks_ = 0;
  mutable uint64_t ranked_at_ = 0;
  mutable std::vector<NodeId> by_name_;
};

}  // namespace basalt::model
