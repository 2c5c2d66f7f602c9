// What kubectl shows of a pod in READY, STATUS and RESTARTS.
//
// STATUS is the hardest word in kubectl: it sums up phase, reasons, init and main containers and deletion. Both the
// server's tables and our own command line use this one reading of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "kube/api/views/pod_view.h"

namespace basalt::api {

struct PodSummary {
  int64_t ready = 0, total = 0;  // containers, sidecars among them
  std::string status;
  int64_t restarts = 0;
  Instant last_restart = kNever;

  [[nodiscard]] std::string ready_text() const;                // "1/2"
  [[nodiscard]] std::string restarts_text(Instant now) const;  // "0", "3 (5m ago)"
};

// Never fails: what a pod does not have counts as absent. Cost: O(containers²) for pods with init containers.
[[nodiscard]] PodSummary summarize_pod(PodView pod);

// Whether the (first) condition of this type has status True.
[[nodiscard]] bool condition_true(ListView<PodConditionView> conditions, std::string_view type);

}  // namespace basalt::api
