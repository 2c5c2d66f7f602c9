// One cycle at work: the state, the bound hooks, and what has been decided so far.
//
// Actions see plugins only through the combined questions below; plugins see the state and bind hooks. A session is
// made by run_cycle (cycle.h) and lives for one cycle.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "base/rng.h"
#include "engine/core/cycle_memory.h"
#include "engine/core/decisions.h"
#include "engine/core/heap.h"
#include "engine/core/hook_table.h"
#include "engine/core/policy.h"
#include "engine/model/cluster_state.h"

namespace basalt::engine {

// How the last attempt at a task went in this cycle.
struct Attempt {
  model::TaskStatus last = model::TaskStatus::Pending;
  NodeId node;
  std::optional<uint32_t> failure;  // into CycleReport::failures
};

class Session {
 public:
  Session(model::ClusterState& cluster, const Policy& rules, Instant at, Rng& chance, CycleMemory& kept);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  model::ClusterState& state;
  const Policy& policy;
  const Instant now;
  Rng& rng;
  CycleMemory& memory;
  HookTable hooks;
  CycleResult result;

  void open();   // builds plugins, binds hooks
  void close();  // plugins report; phases; tentative placements are undone

  // ---- orders: true if the first comes before the second ------------------------------------------------------
  [[nodiscard]] bool job_before(JobId a, JobId b) const;        // ties: creation time, then id
  [[nodiscard]] bool queue_before(QueueId a, QueueId b) const;  // ties: creation time, then name
  [[nodiscard]] bool task_before(TaskId a, TaskId b) const;     // ties: index in the name, creation time, then uid
  void sort_tasks(std::vector<TaskId>& tasks) const;            // by task_before; cheap if they are in order already
  [[nodiscard]] bool sub_job_before(JobId job, uint32_t a, uint32_t b) const;
  [[nodiscard]] Order compare_jobs(JobId a, JobId b) const { return order_of_jobs(a, b); }  // plugins only, no ties
  [[nodiscard]] bool victim_queue_before(QueueId a, QueueId b, QueueId preemptor) const;

  // ---- questions ----------------------------------------------------------------------------------------------
  [[nodiscard]] std::optional<Invalid> job_invalid(JobId job) const;
  [[nodiscard]] bool job_ready(JobId job) const;
  [[nodiscard]] bool job_pipelined(JobId job) const;
  [[nodiscard]] bool job_starving(JobId job) const;
  [[nodiscard]] bool sub_job_ready(JobId job, uint32_t sub) const;  // a job without policies: job_ready
  [[nodiscard]] bool sub_job_pipelined(JobId job, uint32_t sub) const;
  [[nodiscard]] bool job_enqueueable(JobId job) const;
  void job_enqueued(JobId job);
  [[nodiscard]] bool overused(QueueId queue) const;
  [[nodiscard]] bool allocatable(QueueId queue, TaskId task) const;
  [[nodiscard]] bool preemptive(QueueId queue, TaskId task) const;
  [[nodiscard]] std::vector<TaskId> preemptable(TaskId preemptor, std::span<const TaskId> candidates) const;
  [[nodiscard]] std::vector<TaskId> reclaimable(TaskId preemptor, std::span<const TaskId> candidates) const;
  // The job waits to be let in (phase Pending or none).
  [[nodiscard]] bool is_pending(JobId job) const;
  // Every job with a pod group and an existing queue, in no particular order.
  [[nodiscard]] std::span<const JobId> jobs() const { return jobs_; }
  // Those of them that had a pending task when the cycle began: all that placing and evicting need to look at.
  [[nodiscard]] std::span<const JobId> waiting_jobs() const { return waiting_jobs_; }

  // ---- records ------------------------------------------------------------------------------------------------
  void refuse_enqueue(JobId job, std::string_view plugin, std::string message);
  void record_failure(TaskId task, FitFailure failure);
  void record_failure(TaskId task, uint32_t failure);
  void record_attempt(TaskId task, model::TaskStatus last, NodeId node);
  void forget_attempt(TaskId task);
  void set_gang_condition(JobId job, GangCondition condition) { gang_conditions_[job] = condition; }
  void set_phase(JobId job, model::PodGroupPhase phase);
  [[nodiscard]] const Attempt* attempt(TaskId task) const;
  // Roles of the sub-job that failed to find a node in this cycle.
  [[nodiscard]] bool role_failed(JobId job, uint32_t sub, uint32_t role) const;
  void mark_role_failed(JobId job, uint32_t sub, uint32_t role) { failed_roles_.insert({job, {sub, role}}); }
  void clear_failed_roles(JobId job, uint32_t sub);
  void touch_job(JobId job) { touched_jobs_[job] = 1; }
  // Something happened to the job in this cycle: an attempt, a failure, a placement, a phase.
  [[nodiscard]] bool touched(JobId job) const { return touched_jobs_[job] != 0; }

  // ---- failure memory -----------------------------------------------------------------------------------------
  [[nodiscard]] bool remembers_failure(JobId job) const;
  // placed_some: some of its tasks found a node before it failed, so that scores had a say in where.
  void remember_failure(JobId job, bool placed_some);

  // ---- direct placement (backfill): no transaction; when the job is ready all its allocated tasks are bound -------
  void allocate_directly(TaskId task, NodeId node);
  void undo_pipeline(TaskId task);
  // The task keeps a place for which pods were evicted in this cycle. Cost: O(places kept).
  [[nodiscard]] bool evicted_for(TaskId task) const;

  [[nodiscard]] ColumnContext columns();

 private:
  friend class Statement;
  [[nodiscard]] Order order_of_jobs(JobId a, JobId b) const;
  [[nodiscard]] JobFailure failure_inputs(JobId job) const;
  void notify_allocated(TaskId task);
  void notify_deallocated(TaskId task);
  void bind_task(TaskId task);
  void report_jobs();
  void report_limits();
  void release_held();
  // A PodGroup's status without its conditions: what every job is asked for in every cycle.
  struct StatusSummary {
    model::PodGroupPhase phase = model::PodGroupPhase::None;
    int32_t running = 0, succeeded = 0, failed = 0;
    friend bool operator==(const StatusSummary&, const StatusSummary&) = default;
  };
  [[nodiscard]] StatusSummary status_at_close(JobId job) const;
  [[nodiscard]] JobReport job_report(JobId job) const;

  std::vector<std::unique_ptr<PluginRun>> plugins_;
  std::vector<JobId> jobs_;
  std::vector<JobId> waiting_jobs_;
  std::unordered_map<TaskId, Attempt> attempts_;
  std::set<std::pair<JobId, std::pair<uint32_t, uint32_t>>> failed_roles_;
  IdVector<JobId, uint8_t> touched_jobs_;  // something happened to the job: it is reported
  IdVector<JobId, std::optional<GangCondition>> gang_conditions_;
  std::vector<Pipelined> held_;                                      // tentative placements that are undone at close
  IdVector<JobId, std::optional<model::PodGroupPhase>> old_phases_;  // of jobs whose phase this cycle changed
};

}  // namespace basalt::engine
