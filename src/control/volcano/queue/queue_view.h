// A queue as its controller sees it: its state, its place in the hierarchy, and the Commands that wait for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "control/volcano/controller.h"

namespace basalt::volcano {

enum class QueueState : uint8_t { None, Open, Closed, Closing, Unknown };
[[nodiscard]] QueueState queue_state(const text::Object& queue);
[[nodiscard]] std::string_view to_text(QueueState state);  // "" of None

[[nodiscard]] inline bool is_shut(QueueState state) {
  return state == QueueState::Closed || state == QueueState::Closing;
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
[[nodiscard]] std::optional<QueueCommand> first_command(const Observed& seen, const text::Object& queue);

// The state that the table of queue_controller.h gives. `holds`: PodGroups are in it.
[[nodiscard]] QueueState next_state(QueueState state, QueueAction action, bool holds);

}  // namespace basalt::volcano
