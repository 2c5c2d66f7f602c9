// What a cycle, an answer or a timer produces: writes for the API, and events.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "control/loop/api_writes.h"
#include "control/loop/write_plan.h"
#include "control/scheduler/scheduler_kinds.h"
#include "control/scheduler/state/report_text.h"
#include "control/scheduler/write_queue.h"
#include "engine/model/cluster_state.h"

namespace basalt::scheduler {

// An event before it is recorded. Many may wait, so it is small.
struct PendingEvent {
  SchedulerKind kind = SchedulerKind::Pod;
  bool warning = false;
  std::string key, uid;  // of the object that it is about
  std::string reason, message;
  Instant at;
};

struct CycleOutput {
  std::vector<PendingWrite> writes;
  std::vector<PendingEvent> events;
};

// An object, as writes and events name it. Requires: `key` is "namespace/name" or "name".
[[nodiscard]] loop::WriteTarget target_of(SchedulerKind kind, std::string_view key, std::string_view uid);
[[nodiscard]] PendingEvent pending_event_about(SchedulerKind kind, std::string key, std::string uid,
                                               const state::EventText& told, Instant at);
[[nodiscard]] loop::EventNote note_of(PendingEvent pending_event);
// A merge of lists by their keys, which keeps conditions of others: {"status": …} for status.
[[nodiscard]] api::Call patch_pod_status(const loop::WriteTarget& pod, text::Object status);
[[nodiscard]] PendingWrite read_request(SchedulerKind kind, std::string_view key, std::string_view uid, Instant now);

[[nodiscard]] std::string key_of(const model::ClusterState& state, model::TaskId task);

}  // namespace basalt::scheduler
