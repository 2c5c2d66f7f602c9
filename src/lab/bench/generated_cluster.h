// Clusters made by rule: nodes, queues and gangs of a given size, the same every time.
//
// Nodes have 64 cores, 256 GiB, 110 pod slots, a zone, a pool and a hostname. Gangs are alike within a job. Jobs follow
// templates: with `templates` > 0 job i uses template i % templates; with `distinct` every second job has a request and
// a node selector of its own, so that sharing across jobs does not explain the whole result.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/model/cluster_state.h"

namespace basalt::lab {

struct ClusterPlan {
  size_t nodes = 1000;
  size_t jobs = 200;
  size_t gang = 50;           // tasks per job, all of them needed
  size_t templates = 1;       // different pod templates among jobs
  bool distinct = false;      // every second job is unlike all others
  bool all_distinct = false;  // every job is unlike all others
  size_t queues = 4;
  const char* only_queue = nullptr;  // put every job there instead of going round
  const char* priority_class = "";   // of the jobs
  bool let_in = false;               // pending gangs are admitted already, and running ones may lose all but one task
  int64_t cpu_milli = 4000;          // per task; templates vary it slightly downwards
  int64_t memory = int64_t{16} << 30U;
};

inline constexpr const char* kIdleQueue = "idle-queue";  // exists beside the others and has no jobs of its own

// Nodes and queues only.
void add_nodes(model::ClusterState& state, const ClusterPlan& plan);
// Pending gangs, names `<prefix>-<i>`; each states its minResources.
void add_pending_gangs(model::ClusterState& state, const ClusterPlan& plan, const char* prefix);
// Fills every node with running pods, `per_node` of them, in gangs of plan.gang.
void fill_nodes(model::ClusterState& state, const ClusterPlan& plan, size_t per_node);

}  // namespace basalt::lab
