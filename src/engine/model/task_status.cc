#include "engine/model/task_status.h"

namespace basalt::model {

std::string_view to_string(TaskStatus status) {
  static constexpr std::array<std::string_view, kTaskStatuses> kNames = {
      "Pending", "Allocated", "Pipelined", "Binding", "Bound",
      "Running", "Releasing", "Succeeded", "Failed",  "Unknown"};
  return kNames[slot(status)];
}

}  // namespace basalt::model
