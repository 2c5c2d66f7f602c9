// A cycle's decisions → writes: binds, evictions, opened gates.
//
// 1. Every write names the pod's uid: a later pod of the same name is not touched.
// 2. A victim first gets the conditions that say why it goes, then it is deleted with its own grace period; the
//    deletion follows whatever came of the conditions.
// 3. Beside Volcano's own events, the pod, its job and the job that gets the place have one that says for whom it went.
// Pure but for `cache`, which learns that the victims are being evicted.
#pragma once

#include <string_view>

#include "control/scheduler/cycle_output.h"
#include "control/scheduler/scheduler_cache.h"
#include "control/scheduler/state/report_text.h"
#include "engine/core/decisions.h"

namespace basalt::scheduler {

struct DecisionContext {
  const engine::Decisions& decisions;
  const model::ClusterState& state;  // right after the cycle
  const state::ReportText& text;
  std::string_view scheduler_name;
  Instant now;
};

void add_binds(const DecisionContext& decided, CycleOutput& out);
void add_evictions(const DecisionContext& decided, SchedulerCache& cache, CycleOutput& out);
void add_open_gates(const DecisionContext& decided, CycleOutput& out);

}  // namespace basalt::scheduler
