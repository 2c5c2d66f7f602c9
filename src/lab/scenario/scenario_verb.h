// `basalt scenario PATH… [--trace] [--update] [--kubeconfig FILE]`: plays scenario files and compares what happens with
// what they expect.
//
// PATH is a file, or a folder: all *.scn below it, by path. One line per scenario, differences below a failing one, and
// "N passed, N failed" as the last line. --trace tells each cycle; --update rewrites the expect lines of cycles that
// went otherwise and leaves the rest of the file as it is; --kubeconfig plays on a real API server. Exit status: 0 all
// passed, 1 some failed, 2 a bad call or a file that cannot be played.
#pragma once

#include <span>

#include "lab/scenario/scenario_runner.h"
#include "programs/cli/verb.h"

namespace basalt::lab {

// Files are played as scheduling cycles, but where their first word names one of `others`.
int run_scenario(cli::Words words, std::span<const scenario::ScenarioKind> others);

}  // namespace basalt::lab
