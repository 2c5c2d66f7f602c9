// An amount of a resource as people write it, without its name.
//
// memory, ephemeral-storage and hugepages are bytes and get a unit: "16Gi"; all else is a number: "8", "3.5".
#pragma once

#include <string>
#include <string_view>

#include "engine/model/resource_vec.h"

namespace basalt::state {

// `amount` in the model's unit for `resource` (amount_conversion.h). What was cut at kMaxAmount is "8Pi or more".
[[nodiscard]] std::string amount_words(std::string_view resource, model::Amount amount);

}  // namespace basalt::state
