// What a cycle, an answer or the time gives rise to: errands for the API, and notes for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/cluster_state.h"
#include "reconcile/plan.h"
#include "reconcile/writes.h"
#include "scheduler/kinds.h"
#include "scheduler/outbox.h"

namespace basalt::scheduler {

struct Written {
  std::vector<Errand> errands;
  std::vector<reconcile::Note> notes;
};

// An object, as errands and notes name it. Requires: `key` is "namespace/name" or "name".
[[nodiscard]] reconcile::Target target_of(Kind kind, std::string_view key, std::string_view uid);
[[nodiscard]] reconcile::Note note_about(Kind kind, std::string_view key, std::string_view uid, bool warning,
                                         std::string reason, std::string message);
// A merge of lists by their keys, which keeps conditions of others: {"status": …} for status.
[[nodiscard]] api::Call patch_pod_status(const reconcile::Target& pod, text::Object status);
[[nodiscard]] Errand read_errand(Kind kind, std::string_view key, std::string_view uid, Instant now);

[[nodiscard]] std::string key_of(const model::ClusterState& state, model::TaskId task);

}  // namespace basalt::scheduler
