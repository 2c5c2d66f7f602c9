// The nearest known name to a misspelt one.
#pragma once

#include <span>
#include <string_view>

namespace basalt {

// The known name that is nearest to `name`, if a few keystrokes away; else "". Cost: O(sum of the lengths · name).
[[nodiscard]] std::string_view nearest(std::string_view name, std::span<const std::string_view> known);

}  // namespace basalt
