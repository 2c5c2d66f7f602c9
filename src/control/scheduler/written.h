// What a cycle, an answer or the time gives rise to: errands for the API, and remarks for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "control/loop/plan.h"
#include "control/loop/writes.h"
#include "control/scheduler/kinds.h"
#include "control/scheduler/outbox.h"
#include "control/scheduler/state/report_text.h"
#include "engine/model/cluster_state.h"

namespace basalt::scheduler {

// Something to tell people: an event, before it is one. Many may wait, so it is small.
struct Remark {
  Kind kind = Kind::Pod;
  bool warning = false;
  std::string key, uid;  // of the object that it is about
  std::string reason, message;
  Instant at;
};

struct Written {
  std::vector<Errand> errands;
  std::vector<Remark> remarks;
};

// An object, as errands and remarks name it. Requires: `key` is "namespace/name" or "name".
[[nodiscard]] loop::Target target_of(Kind kind, std::string_view key, std::string_view uid);
[[nodiscard]] Remark remark_about(Kind kind, std::string key, std::string uid, const state::Event& told, Instant at);
[[nodiscard]] loop::Note note_of(Remark remark);
// A merge of lists by their keys, which keeps conditions of others: {"status": …} for status.
[[nodiscard]] api::Call patch_pod_status(const loop::Target& pod, text::Object status);
[[nodiscard]] Errand read_errand(Kind kind, std::string_view key, std::string_view uid, Instant now);

[[nodiscard]] std::string key_of(const model::ClusterState& state, model::TaskId task);

}  // namespace basalt::scheduler
