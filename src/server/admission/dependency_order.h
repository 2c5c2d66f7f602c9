// Names that depend on names: is there an order in which all of them can start?
//
// Tasks of a Job and flows of a JobFlow ask this. Cost: O(names + dependencies), also for hostile graphs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace basalt::admission {

inline constexpr size_t kMaxShownCycle = 8;  // names of a cycle in a message

struct Dependent {
  std::string_view name;
  std::vector<std::string_view> on;
};

// Why there is no order: names wait for each other, or (without a cycle) `name` needs `missing`, which is no name here.
struct DependencyError {
  std::string_view name, missing;
  std::string cycle;  // "a -> b -> a"
};

// Nothing when there is an order. Of two dependents with one name the last counts.
[[nodiscard]] std::optional<DependencyError> find_dependency_error(std::span<const Dependent> dependents);

}  // namespace basalt::admission
