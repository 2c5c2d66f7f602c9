// A queue's state as status.state has it.
#pragma once

#include <string_view>

#include "engine/model/cluster_state.h"

namespace basalt::state {

[[nodiscard]] constexpr std::string_view queue_state_words(model::QueueState state) {
  switch (state) {
    case model::QueueState::Open:
      return "Open";
    case model::QueueState::Closed:
      return "Closed";
    case model::QueueState::Closing:
      return "Closing";
    case model::QueueState::Unknown:
      break;
  }
  return "Unknown";
}

}  // namespace basalt::state
