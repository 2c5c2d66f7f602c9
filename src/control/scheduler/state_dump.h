// The scheduler's state for people: what it believes about nodes, queues, jobs and their tasks, and why what waits
// waits. Written on SIGUSR1 as Volcano does; the form is ours.
#pragma once

#include <string>
#include <vector>

#include "base/instant.h"
#include "control/scheduler/scheduler.h"
#include "engine/model/cluster_state.h"
#include "kube/text/json.h"

namespace basalt::scheduler {

// Everything in the order of names. Cost: O(state · log).
[[nodiscard]] text::Value dump_of(const model::ClusterState& state, const SchedulerCounters& counters, Instant now);

// The same in a few lines for a log: counts, and of every waiting job its first reason. At most kMaxDumpLines lines.
inline constexpr size_t kMaxDumpLines = 500;
[[nodiscard]] std::vector<std::string> dump_lines(const model::ClusterState& state, const SchedulerCounters& counters);

}  // namespace basalt::scheduler
