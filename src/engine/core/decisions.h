// What a cycle decided and why: plain data, in the order it was decided. control/scheduler turns it into
// API writes and text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/verdict.h"
#include "engine/model/job.h"
#include "engine/model/real_vec.h"

namespace basalt::engine {

struct Bind {
  model::TaskId task;
  model::NodeId node;
};
struct Evict {
  model::TaskId task;
  model::TaskId preemptor;  // for whom
  std::string_view reason;  // the action's name
};
// A task that waits on a node for resources being released.
struct Pipelined {
  model::TaskId task;
  model::NodeId node;
  bool evicted = false;  // something was evicted for it: the node is written as its nomination
};

struct Decisions {
  std::vector<Bind> binds;
  std::vector<Evict> evicts;
  std::vector<model::TaskId> gate_removals;  // may leave the queue-allocation gate
  std::vector<Pipelined> pipelined;          // valid at the end of the cycle, undone in the state
};

// Why a task found no node. One record serves all tasks of a class that failed in the same state.
struct FitFailure {
  enum class Kind : uint8_t { Nodes, RoleFailedBefore, QueueRefused } kind = Kind::Nodes;
  int32_t nodes = 0;                                  // evaluated and refused
  std::vector<std::pair<ReasonId, int32_t>> reasons;  // how many nodes gave which reason
};

// Why a job was refused entry (enqueue), by which plugin, on which resources.
struct EnqueueRefusal {
  model::JobId job;
  std::string_view plugin;
  std::string message;
};

struct TaskReport {
  model::TaskId task;
  model::TaskStatus last = model::TaskStatus::Pending;  // status of the last attempt
  model::NodeId node;                                   // of that attempt
  bool nominate = false;
  std::optional<uint32_t> failure;  // into CycleReport::failures
};

// A gang's condition, as the gang plugin found it when the cycle closed.
struct GangCondition {
  bool schedulable = false;
  int32_t missing = 0;  // tasks that the gang lacks
};

struct JobReport {
  model::JobId job;
  model::PodGroupStatus status;  // phase and counters to write; conditions are made from the facts below
  bool changed = false;          // phase or counters differ from what is written
  std::optional<GangCondition> gang;
  bool ready = false;
  model::StatusCounts counts{};         // at the end of the cycle, before undo
  std::vector<TaskReport> tasks;        // Pending, Allocated and Pipelined ones
  std::optional<model::TaskId> origin;  // the task whose failure explains the job's
};

// How much a queue may hold, as the plugin sees it that divides the cluster among queues.
struct QueueLimit {
  model::QueueId queue;  // whose jobs it holds for
  model::QueueId at;     // whose limit it is: the queue itself or one above it
  model::RealVec now;    // tasks are placed up to this
  model::RealVec ever;   // and never beyond this, however idle the others are
};

struct CycleReport {
  std::vector<FitFailure> failures;
  std::vector<JobReport> jobs;  // only jobs that something happened to
  std::vector<EnqueueRefusal> refusals;
  std::vector<QueueLimit> limits;  // of the queues in which jobs wait, the queue's own before those above it
};

struct CycleResult {
  Decisions decisions;
  CycleReport report;
  bool skipped = false;  // nothing had changed since a cycle that decided nothing
};

}  // namespace basalt::engine
