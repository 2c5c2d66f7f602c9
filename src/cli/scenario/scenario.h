// `basalt scenario PATH… [--trace] [--update]`: plays scenario files and compares what happens with what they expect.
//
// PATH is a file, or a folder: all *.scn below it, by path. One line per scenario, differences below a failing one, and
// "N passed, N failed" as the last line. --trace tells each cycle; --update rewrites the expect lines of cycles that
// went otherwise and leaves the rest of the file as it is. Exit status: 0 all passed, 1 some failed, 2 a bad call or a
// file that cannot be played.
#pragma once

#include "cli/verb.h"

namespace basalt::cli {

int run_scenario(Words words);

}  // namespace basalt::cli
