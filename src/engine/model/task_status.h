// The life of a task inside the scheduler.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace basalt::model {

enum class TaskStatus : uint8_t {
  Pending,    // no node
  Allocated,  // node chosen in this cycle, not yet committed
  Pipelined,  // node chosen in this cycle, waits for resources that are being released
  Binding,    // committed; the bind is on its way
  Bound,      // bound, not started
  Running,
  Releasing,  // being deleted
  Succeeded,
  Failed,
  Unknown,
};
inline constexpr size_t kTaskStatuses = 10;

std::string_view to_string(TaskStatus status);

using StatusCounts = std::array<int32_t, kTaskStatuses>;
inline constexpr size_t slot(TaskStatus status) { return static_cast<size_t>(status); }

// Charged to queue, job and shares.
constexpr bool is_allocated(TaskStatus s) {
  return s == TaskStatus::Bound || s == TaskStatus::Binding || s == TaskStatus::Running || s == TaskStatus::Allocated;
}
constexpr bool is_ready(TaskStatus s) { return is_allocated(s) || s == TaskStatus::Succeeded; }
constexpr bool is_preemptable(TaskStatus s) { return s == TaskStatus::Bound || s == TaskStatus::Running; }
constexpr bool is_scheduled(TaskStatus s) {
  return s == TaskStatus::Running || s == TaskStatus::Bound || s == TaskStatus::Failed || s == TaskStatus::Succeeded;
}
constexpr bool is_completed(TaskStatus s) { return s == TaskStatus::Failed || s == TaskStatus::Succeeded; }
constexpr bool is_valid(TaskStatus s) { return is_ready(s) || s == TaskStatus::Pipelined || s == TaskStatus::Pending; }
// Holds a place on its node.
constexpr bool is_on_node(TaskStatus s) {
  return is_allocated(s) || s == TaskStatus::Pipelined || s == TaskStatus::Releasing || s == TaskStatus::Unknown;
}

}  // namespace basalt::model
