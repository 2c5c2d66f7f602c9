// JobFlows: jobs made from templates, each when those it depends on are done.
#pragma once

#include "control/volcano/volcano_controller.h"

namespace basalt::volcano {

[[nodiscard]] VolcanoController job_flow_controller();

}  // namespace basalt::volcano
