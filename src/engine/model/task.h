// A pod, as the scheduler sees it.
#pragma once

#include <cstdint>
#include <string>

#include "base/instant.h"
#include "engine/model/ids.h"
#include "engine/model/task_status.h"

namespace basalt::model {

// What a pod event brings, from control/scheduler/state. Everything is resolved but ids that the state gives out.
struct TaskSpec {
  std::string ns, name, uid;
  std::string group;      // name of its PodGroup in the same namespace; empty: no job, only counted on its node
  std::string node_name;  // empty: none
  TaskStatus status = TaskStatus::Pending;
  ShapeId shape;
  LabelSetId labels;
  NameId role = kEmptyName;
  NameId priority_class = kEmptyName;
  int32_t priority = 1;      // task order: spec.priority or the task-priority annotation
  int32_t pod_priority = 0;  // spec.priority as given, 0 when absent
  Instant created;
  Instant started;       // status.startTime
  Instant scheduled_at;  // when PodScheduled became True
  Duration cooldown;     // volcano.sh/cooldown-time, 0: none
  std::string nominated_node;
  bool preemptable = true;
  bool revocable = false;          // revocable zone "*"
  bool gated = false;              // has scheduling gates
  bool only_queue_gate = false;    // its only gate is Volcano's queue-allocation gate
  bool gate_opt_in = false;        // carries the annotation that lets us remove that gate
  NameId gates = kEmptyName;       // the names of its gates, "a, b": for people
  bool never_preempts = false;     // preemptionPolicy: Never
  bool preemption_target = false;  // terminating because a scheduler preempted it
};

// A row of the task table: the inputs of the spec, and what ClusterState keeps about them.
struct Task {
  std::string name, uid;
  NameId ns;
  ShapeId shape;
  LabelSetId labels;
  JobId job;
  NodeId node;  // where it runs or is tentatively placed
  NameId nominated_name = kEmptyName;
  NodeId nominated;  // none if not nominated or the node is unknown
  TaskStatus status = TaskStatus::Pending;

  NameId role = kEmptyName;
  NameId priority_class = kEmptyName;
  NameId gates = kEmptyName;
  int32_t priority = 1;
  int32_t pod_priority = 0;
  int64_t name_index = -1;  // the number behind the last '-' of a name with at least three parts, else -1
  Instant created, started, scheduled_at;
  Duration cooldown;

  uint32_t role_index = 0;     // into Job::roles
  uint32_t sub_job_index = 0;  // into Job::sub_jobs
  uint32_t slot_on_node = 0;   // into Node::tasks
  uint32_t slot_in_job = 0;    // into Job::tasks
  uint32_t slot_in_sub_job = 0;

  uint64_t generation = 0;  // unique for each pod event: a recycled or updated row has another one
  // Where the engine notes the task's class, so that asking again costs nothing. A cache: no decision reads it
  // directly.
  mutable uint32_t class_note = 0;
  mutable uint32_t class_note_epoch = 0;  // 0: nothing noted

  bool alive = false;  // the row is in use
  bool best_effort = false;
  bool in_view = false;  // counted in the node's pod view, see node.h
  bool preemptable = true;
  bool revocable = false;
  bool gated = false;
  bool only_queue_gate = false;
  bool gate_opt_in = false;
  bool never_preempts = false;
  bool preemption_target = false;
  bool nominated_unknown = false;  // nominated to a node that is not here
};

}  // namespace basalt::model
