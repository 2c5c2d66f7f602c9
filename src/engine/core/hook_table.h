// Every extension point on one page: its signature and the rule that combines the plugins' answers.
//
// Plugins bind hooks in open() through a HookBinder (plugin.h), which applies tiers and enable… switches once. Actions
// call the combined forms of session.h. Node filters and scores are bulk calls: one call per plugin for many nodes.
#pragma once

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/fingerprint.h"
#include "engine/core/class_key.h"
#include "engine/core/decisions.h"
#include "engine/core/slot.h"
#include "engine/core/verdict.h"
#include "engine/model/ids.h"

namespace basalt::engine {

using model::JobId;
using model::NodeId;
using model::QueueId;
using model::TaskId;

using Order = std::weak_ordering;
enum class Vote : int8_t { Reject = -1, Abstain = 0, Permit = 1 };

// Why a job cannot be scheduled as it stands (JobValid).
struct Invalid {
  std::string reason, message;
};

// Filter: set verdicts[i] for nodes[i] that do not take tasks like `task`. Entries that are not kFits on entry were
// refused by an earlier plugin and must be left alone.
struct FilterCall {
  TaskId task;  // any member of the class
  std::span<const NodeId> nodes;
  std::span<VerdictId> verdicts;
};

// Score: add to scores[i] for nodes[i].
struct ScoreCall {
  TaskId task;
  std::span<const NodeId> nodes;
  std::span<double> scores;
};

// A raw score that is scaled over the candidates: raw() fills integers, scale() maps one raw value given the smallest
// and largest raw value among the candidates. kIgnoredRaw takes no part in min and max; scale() sees it too.
inline constexpr int64_t kIgnoredRaw = INT64_MIN;
struct RawCall {
  TaskId task;
  std::span<const NodeId> nodes;
  std::span<int64_t> raw;
};
// What one placement can change about a raw score: only the node itself, or any node.
enum class Reach : uint8_t { Node, Cluster };
struct ScaledScore {
  Hook<void(const RawCall&)> raw;
  Hook<Reach(TaskId)> reach;  // for this class
  double (*scale)(int64_t raw, int64_t min, int64_t max) = nullptr;
  double weight = 1;
};

// Victims: append those of `candidates` that may be evicted for `preemptor`. Abstain: no opinion. A preemptor counts by
// its class, queue, priorities, flags (preemptable, revocable) and what its job holds, not by its name: of jobs that
// are alike and hold nothing, one answer serves all (failed_searches.h). While others are evicted and tasks of the
// preemptor's job are placed, nobody becomes a victim who was none (futile_nodes.h).
using VictimHook = Vote(TaskId preemptor, std::span<const TaskId> candidates, std::vector<TaskId>& victims);

struct HookTable {
  // Order. Less comes first.
  Slot<Order(JobId, JobId), FirstNonzero> job_order{PluginFlag::JobOrder};
  Slot<Order(QueueId, QueueId), FirstNonzero> queue_order{PluginFlag::QueueOrder};
  Slot<Order(TaskId, TaskId), FirstNonzero> task_order{PluginFlag::TaskOrder};
  Slot<Order(JobId, uint32_t, uint32_t), FirstNonzero> sub_job_order{PluginFlag::SubJobOrder};  // indexes into sub_jobs
  Slot<Order(QueueId, QueueId, QueueId), FirstNonzero> victim_queue_order;  // last: preemptor's queue

  // Gang.
  Slot<std::optional<Invalid>(JobId), FirstFailure> job_valid;
  Slot<bool(JobId), AllOf> job_ready{PluginFlag::JobReady};
  Slot<bool(JobId, uint32_t), AllOf> sub_job_ready{PluginFlag::SubJobReady};
  Slot<Vote(JobId), VoteByTier> job_pipelined{PluginFlag::JobPipelined};
  Slot<Vote(JobId, uint32_t), VoteByTier> sub_job_pipelined{PluginFlag::SubJobPipelined};
  Slot<bool(JobId), FirstTierAll> job_starving{PluginFlag::JobStarving};

  // Queues.
  Slot<Vote(JobId), VoteByTier> job_enqueueable{PluginFlag::JobEnqueued};
  Slot<void(JobId), Notify> job_enqueued{PluginFlag::JobEnqueued};
  Slot<bool(QueueId), AnyOf> overused{PluginFlag::Overused};
  Slot<bool(QueueId, TaskId), AllOf> allocatable{PluginFlag::Allocatable};
  Slot<bool(QueueId, TaskId), AllOf> preemptive{PluginFlag::Preemptive};
  Slot<void(QueueId, std::vector<QueueLimit>&), Notify> queue_limits;  // for the report; decides nothing

  // Nodes.
  Slot<VerdictId(TaskId), FirstFailure> pre_filter{PluginFlag::Predicate};  // refuses the task on every node
  Slot<void(const FilterCall&), FirstFailure> filter{PluginFlag::Predicate};
  bool filters_see_evictions = false;  // a filtering plugin has enablePreemptable or enabledAllocatable on
  Slot<bool(TaskId), AnyOf> filter_reaches_cluster{
      PluginFlag::Predicate};  // a placement anywhere may change the answer
  Slot<void(const ScoreCall&), Sum> score{PluginFlag::NodeOrder};
  struct Scaled {
    ScaledScore part;
    uint16_t tier = 0;
  };
  std::vector<Scaled> scaled_scores;  // governed by NodeOrder

  // Eviction.
  Slot<VictimHook, IntersectByTier> preemptable{PluginFlag::Preemptable};
  Slot<VictimHook, IntersectByTier> reclaimable{PluginFlag::Reclaimable};

  // State. Exact inverses: after on_allocate(t), on_deallocate(t) restores the plugin's state.
  Slot<void(TaskId), Notify> on_allocate;
  Slot<void(TaskId), Notify> on_deallocate;

  // Classes and memory (task_classes.h, cycle_memory.h). A plugin that binds filter or score must also bind sign.
  Slot<void(TaskId, ClassKey&), Notify> sign;
  Slot<void(Fingerprint&), Notify> sign_epoch;         // what sign() itself depends on, beside the task
  Slot<void(JobId, Fingerprint&), Notify> job_inputs;  // what this plugin's refusal of a job would depend on
  bool depends_on_time = false;  // some plugin's answers change with `now` alone: an unchanged state is not quiet
};

}  // namespace basalt::engine
