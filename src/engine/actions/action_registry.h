// All actions. One line each in action_registry.cc.
#pragma once

#include <span>

#include "engine/core/policy.h"

namespace basalt::actions {

std::span<const engine::ActionEntry> registry();

}  // namespace basalt::actions
