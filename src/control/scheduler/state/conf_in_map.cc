#include "control/scheduler/state/conf_in_map.h"

namespace basalt::state {

std::optional<ConfInMap> conf_in_map(const text::Object& data, std::string_view wanted) {
  constexpr std::string_view kConfEnding = ".conf";
  const auto exact = data.find(wanted.empty() ? kConfMapKey : wanted);
  if (exact != data.end() && exact->value().is_string()) {
    return ConfInMap{.key = exact->key(), .text = std::string_view(exact->value().get_string())};
  }
  if (!wanted.empty()) return std::nullopt;
  std::optional<ConfInMap> found;
  for (const auto& member : data) {
    const std::string_view key = member.key();
    if (!key.ends_with(kConfEnding) || !member.value().is_string() || (found && found->key <= key)) continue;
    found = {.key = key, .text = std::string_view(member.value().get_string())};
  }
  return found;
}

}  // namespace basalt::state
