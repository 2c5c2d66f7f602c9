// When is a gang valid, ready, pipelined, starving? Pure arithmetic on a job's counts.
#pragma once

#include <cstdint>

#include "engine/model/job.h"

namespace basalt::model {

int32_t ready_tasks(const StatusCounts& counts);      // Bound, Binding, Running, Allocated, Succeeded
int32_t allocated_tasks(const StatusCounts& counts);  // the same without Succeeded
int32_t valid_tasks(const StatusCounts& counts);
int32_t scheduled_tasks(const StatusCounts& counts);
int32_t completed_tasks(const StatusCounts& counts);
inline int32_t waiting_tasks(const StatusCounts& counts) { return counts[slot(TaskStatus::Pipelined)]; }

// The gang as a whole: minMember.
bool gang_ready(const Job& job);      // ready + pending best effort ≥ minAvailable
bool gang_pipelined(const Job& job);  // the same plus pipelined
bool gang_starving(const Job& job);   // ready + pipelined < minAvailable

// TaskRole minimums (minTaskMember). They bind only if minAvailable ≥ their sum; else every answer is "fine".
bool roles_enforced(const Job& job);
bool roles_valid(const Job& job);
bool roles_ready(const Job& job);
bool roles_pipelined(const Job& job);

// Sub-jobs (subGroupPolicy).
bool sub_job_ready(const SubJob& sub);
bool sub_job_pipelined(const SubJob& sub);
bool sub_groups_valid(const Job& job);  // enough sub-jobs exist per policy
bool sub_groups_ready(const Job& job);  // enough of them are ready
bool sub_groups_pipelined(const Job& job);

}  // namespace basalt::model
