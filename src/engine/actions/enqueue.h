// enqueue: lets waiting jobs in, queue by queue, while there is room for their minimum.
//
// A job without minResources enters without a vote. A refused job is not asked again in this cycle and blocks no other.
#pragma once

#include "engine/core/policy.h"

namespace basalt::actions {

Result<engine::ActionRun> configure_enqueue(const engine::Arguments& arguments);

}  // namespace basalt::actions
