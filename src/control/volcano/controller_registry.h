// The controllers there are, and the choice among them by Volcano's --controllers flag.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "control/volcano/volcano_controller.h"

namespace basalt::volcano {

// In the order in which their items are planned when they are due together.
[[nodiscard]] std::span<const VolcanoController> all_controllers();

// The flag is a list of "*" (all), "name" or "+name" (this one), "-name" (not this one), by commas; read from the left,
// the first word about a controller decides, then "*". An unknown or repeated name is an error that lists what there
// is.
[[nodiscard]] Result<std::vector<VolcanoController>> choose_controllers(std::string_view flag);

}  // namespace basalt::volcano
