// Arguments that Volcano's plugins and actions have, or had in one of its releases since 1.0, and that change nothing
// here: what they are about (volumes, claims for devices, shared GPUs) takes no part in scheduling yet, or Volcano has
// dropped it. A conf that gives one is in force all the same, and the warning says that this part of it is not.
//
// Not listed are those that only tune Volcano's own work and need nothing here (predicate.CacheEnable,
// topologyAwarePreemptWorkerNum): what they ask for is so.
#pragma once

#include <cstdint>
#include <string_view>

namespace basalt::state {

enum class VolcanoArgument : uint8_t {
  No,       // ours, or nobody's
  Checked,  // without effect; the plugin reads it, so that a value of the wrong type is refused
  Unread,   // without effect; nobody here knows it
};

// `owner`: the name of a plugin or action. Cost: O(table).
[[nodiscard]] VolcanoArgument volcano_argument(std::string_view owner, std::string_view key);

}  // namespace basalt::state
