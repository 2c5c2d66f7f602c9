// JobFlows: jobs made from templates, each when those it depends on are done.
#pragma once

#include "control/volcano/controller.h"

namespace basalt::volcano {

[[nodiscard]] Controller job_flow_controller();

}  // namespace basalt::volcano
