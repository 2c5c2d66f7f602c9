// A job: one PodGroup and its tasks, with counts that are kept current on every status change.
//
// Invariants (checked by ClusterState::verify):
//  1. counts, role counts and sub-job counts equal a recount over `tasks`.
//  2. allocated is the sum of requests of tasks in the allocated set; pending and total likewise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "engine/model/ids.h"
#include "engine/model/labels.h"
#include "engine/model/resource_vec.h"
#include "engine/model/task_status.h"

namespace basalt::model {

enum class PodGroupPhase : uint8_t { None, Pending, Inqueue, Running, Unknown, Completed };
std::string_view to_string(PodGroupPhase phase);

struct NetworkTopology {
  bool given = false;
  bool hard = true;
  std::optional<int32_t> highest_tier;
  std::string highest_tier_name;
  friend bool operator==(const NetworkTopology&, const NetworkTopology&) = default;
};

struct SubGroupPolicy {
  std::string name;
  NetworkTopology topology;
  int32_t size = 1;  // minAvailable of each sub-job
  int32_t min_groups = 0;
  Selector selector;  // empty matches all, nothing = no labelSelector given (then all match)
  std::vector<NameId> match_label_keys;
  friend bool operator==(const SubGroupPolicy&, const SubGroupPolicy&) = default;
};

// How many tasks may be disturbed at once (tdm): "3" or "25%"; empty = not given.
struct DisruptionBudget {
  std::string min_available, max_unavailable;
  friend bool operator==(const DisruptionBudget&, const DisruptionBudget&) = default;
};

struct Condition {
  std::string type, status, reason, message;
  friend bool operator==(const Condition&, const Condition&) = default;
};

struct PodGroupStatus {
  PodGroupPhase phase = PodGroupPhase::None;
  std::vector<Condition> conditions;
  int32_t running = 0, succeeded = 0, failed = 0;
  friend bool operator==(const PodGroupStatus&, const PodGroupStatus&) = default;
};

struct JobSpec {
  std::string ns, name, uid;
  std::string queue;
  int32_t min_available = 0;
  std::vector<std::pair<NameId, int32_t>> min_task_member;  // role → minimum
  std::string priority_class;
  std::optional<Quota> min_resources;
  Instant created;
  std::optional<Duration> waiting_time;  // sla
  bool preemptable = false;
  bool revocable = false;
  DisruptionBudget budget;
  NetworkTopology topology;
  std::vector<SubGroupPolicy> sub_groups;
  std::string topology_affinity, topology_anti_affinity, topology_task_order;  // task-topology annotations
  PodGroupStatus status;
  friend bool operator==(const JobSpec&, const JobSpec&) = default;
};

struct TaskRole {
  NameId name = kEmptyName;
  int32_t min = 0;  // 0: no minimum of its own
  StatusCounts counts{};
  int32_t pending_best_effort = 0;
};

struct SubJob {
  std::string id;       // orders sub-jobs after match_index
  int32_t policy = -1;  // index into sub_groups, -1: the default sub-job
  int32_t min_available = 0;
  int64_t match_index = 0;
  std::vector<TaskId> tasks;
  StatusCounts counts{};
  int32_t pending_best_effort = 0;
};

struct Job : JobSpec {
  bool alive = false;          // the row is in use
  bool has_pod_group = false;  // false: pods named a group that is not here (yet)
  std::string id;              // "namespace/name"
  QueueId queue_id;            // none while the queue does not exist
  int32_t priority = 0;        // resolved from the priority class
  int32_t min_task_total = 0;  // sum of min_task_member

  std::vector<TaskId> tasks;
  std::vector<TaskRole> roles;
  std::vector<SubJob> sub_jobs;
  StatusCounts counts{};
  int32_t pending_best_effort = 0;
  int32_t releasing_on_node = 0;
  ResourceVec allocated;  // allocated set
  ResourceVec pending;    // status Pending
  ResourceVec total;      // every task
  ResourceVec gated;      // Pending tasks behind gates that are not ours

  uint64_t version = 0;  // moves when the pod group or its set of tasks changes by an event

  [[nodiscard]] int32_t count(TaskStatus wanted) const { return counts[slot(wanted)]; }
  [[nodiscard]] bool schedulable() const { return alive && has_pod_group && queue_id.valid(); }
};

}  // namespace basalt::model
