// A cycle's decisions → errands: binds, evictions, opened gates.
//
// 1. Every errand names the pod's uid: a namesake that came later is not touched.
// 2. A victim first gets the conditions that say why it goes, then it is deleted with its own grace period; the
//    deletion follows whatever came of the conditions.
// 3. Who it goes for is told beside Volcano's own events: to the pod, its job, and the job that gets the place.
// Pure but for `picture`, which learns that the victims are being evicted.
#pragma once

#include <string_view>

#include "control/scheduler/picture.h"
#include "control/scheduler/state/report_text.h"
#include "control/scheduler/written.h"
#include "engine/core/decisions.h"

namespace basalt::scheduler {

struct Decided {
  const engine::Decisions& decisions;
  const model::ClusterState& state;  // right after the cycle
  const state::ReportText& text;
  std::string_view scheduler_name;
  Instant now;
};

void add_binds(const Decided& decided, Written& out);
void add_evictions(const Decided& decided, Picture& picture, Written& out);
void add_open_gates(const Decided& decided, Written& out);

}  // namespace basalt::scheduler
