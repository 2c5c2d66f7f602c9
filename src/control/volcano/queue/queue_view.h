// A queue as its controller sees it: its state, its place in the hierarchy, and the Commands that wait for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "control/volcano/volcano_controller.h"

namespace basalt::volcano {

enum class QueueLifecycleState : uint8_t { None, Open, Closed, Closing, Unknown };
[[nodiscard]] QueueLifecycleState queue_state(const text::Object& queue);
[[nodiscard]] std::string_view to_text(QueueLifecycleState state);  // "" of None

[[nodiscard]] inline bool is_shut(QueueLifecycleState state) {
  return state == QueueLifecycleState::Closed || state == QueueLifecycleState::Closing;
}

// OpenQueue and CloseQueue; every other action asks for nothing.
enum class QueueAction : uint8_t { Sync, Open, Close };

struct QueueCommand {
  const text::Object* object = nullptr;
  QueueAction action = QueueAction::Sync;
  Instant created;
};

// A Command about a queue at all.
[[nodiscard]] bool is_queue_command(const text::Object& command);
[[nodiscard]] QueueCommand read_command(const text::Object& command);
// The oldest Command for this queue.
[[nodiscard]] std::optional<QueueCommand> first_command(const ControllerCache& seen, const text::Object& queue);

// The state that the table of queue_controller.h gives. `holds`: PodGroups are in it.
[[nodiscard]] QueueLifecycleState next_state(QueueLifecycleState state, QueueAction action, bool holds);

}  // namespace basalt::volcano
