// What every plugin answers right after a session opens, against the recorded answers.
//
// A probe file has the name of its case, in DIR or in DIR/<folder of the case>. Compared, one fact each per case:
// orders of queues, jobs and pending tasks; overused; valid, ready, pipelined, starving, enqueueable; phases and
// priorities; requests of pending tasks; amounts of nodes; predicates and their reasons; total scores and those of each
// plugin.
#pragma once

#include <string>

#include "base/result.h"
#include "engine/core/policy.h"
#include "lab/conformance/comparison.h"
#include "lab/conformance/recorded_case.h"

namespace basalt::lab {

[[nodiscard]] bool has_probe(const std::string& folder, const RecordedCase& recorded);

// Requires: has_probe(), and nothing is missing in `recorded`.
[[nodiscard]] Result<Comparison> compare_probe(const std::string& folder, const RecordedCase& recorded,
                                               const engine::Policy& policy);

}  // namespace basalt::lab
