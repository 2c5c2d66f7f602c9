// What a shadow found, as JSON lines and as sentences.
#pragma once

#include <string>

#include "control/scheduler/shadow_comparison.h"

namespace basalt::scheduler {

// {"time":…,"difference":"other-node","pod":…,"ours":…,"theirs":…,"aheadSeconds":…}
[[nodiscard]] std::string finding_json(const ShadowFinding& finding);
// "pod team/train-0: they chose node a, we would have chosen b, 1.2 s earlier"
[[nodiscard]] std::string finding_text(const ShadowFinding& finding);
// {"time":…,"summary":{"same-node":…,…},"agreement":…,"sameNode":…,"aheadSeconds":{"p10":…,…}}
[[nodiscard]] std::string summary_json(const ShadowSummary& summary, Instant now);
[[nodiscard]] std::string summary_text(const ShadowSummary& summary);
// Prometheus text: basalt_shadow_verdicts by verdict, and the rest as gauges.
[[nodiscard]] std::string summary_metrics(const ShadowSummary& summary);

}  // namespace basalt::scheduler
