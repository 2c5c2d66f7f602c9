// basalt conformance PATH…: replays recorded Volcano cases and compares the decisions.
#pragma once

#include "cli/verb.h"

namespace basalt::cli {

int run_conformance(Words words);

}  // namespace basalt::cli
