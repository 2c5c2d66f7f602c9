// basalt conformance PATH…: replays recorded Volcano cases and compares the decisions.
#pragma once

#include "programs/cli/verb.h"

namespace basalt::lab {

int run_conformance(cli::Words words);

}  // namespace basalt::lab
