// JobFlows: jobs made from templates, each when those it depends on are done.
#pragma once

#include "controllers/controller.h"

namespace basalt::controllers {

[[nodiscard]] Controller job_flow_controller();

}  // namespace basalt::controllers
