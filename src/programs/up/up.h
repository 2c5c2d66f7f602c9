// `basalt up`: a whole cluster in one process, until Ctrl-C.
#pragma once

#include "programs/cli/verb.h"

namespace basalt::up {

int run_up(cli::Words words);

}  // namespace basalt::up
