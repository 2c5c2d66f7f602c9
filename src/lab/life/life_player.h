// Plays one life-cycle scenario: a file whose first word is `life` (docs/guides/scenarios.md, "Life cycle").
//
// `life crash-anywhere`: the file is played again for every write that the controllers make, with a crash of them just
// before it; all must end as expected each time, but for `writes` and `event`, which a crash may change.
#pragma once

#include <string>

#include "lab/scenario/scenario_runner.h"
#include "lab/scenario/scenario_script.h"

namespace basalt::lab {

inline constexpr size_t kMaxCrashes = 500;  // of one file; what makes more writes is too long to crash everywhere

[[nodiscard]] lab::scenario::ScenarioResult play_life(const lab::scenario::Script& script, bool trace);

// The same on a real API server (kubernetes_backend.h), which is emptied first. Expectations may take a while to come
// true; `writes` is not compared, and nothing is crashed that the file does not crash by name.
[[nodiscard]] lab::scenario::ScenarioResult play_life_at(const lab::scenario::Script& script, bool trace,
                                                         const std::string& kubeconfig);

}  // namespace basalt::lab
