// What the phases of Volcano's jobs say about a job that no longer runs.
#pragma once

#include <string_view>

namespace basalt::api {

// For good.
[[nodiscard]] constexpr bool is_finished_job(std::string_view phase) {
  return phase == "Completed" || phase == "Failed" || phase == "Terminated";
}

// The same, or aborted: such a job may be resumed.
[[nodiscard]] constexpr bool is_stopped_job(std::string_view phase) {
  return is_finished_job(phase) || phase == "Aborted";
}

}  // namespace basalt::api
