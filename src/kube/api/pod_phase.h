// The phase of a pod, as its status says it.
#pragma once

#include <cstdint>
#include <string_view>

namespace basalt::api {

enum class PodPhase : uint8_t { Pending, Running, Succeeded, Failed, Unknown };
[[nodiscard]] std::string_view to_text(PodPhase phase);
// What is no phase ("") reads as Pending.
[[nodiscard]] PodPhase parse_pod_phase(std::string_view text);

}  // namespace basalt::api
