#include "engine/actions/action_registry.h"

#include <array>

#include "engine/actions/allocate.h"
#include "engine/actions/backfill.h"
#include "engine/actions/enqueue.h"
#include "engine/actions/preempt.h"
#include "engine/actions/reclaim.h"

namespace basalt::actions {

std::span<const engine::ActionEntry> registry() {
  static constexpr std::array<engine::ActionEntry, 5> kEntries = {{
      {.name = "enqueue", .configure = configure_enqueue},
      {.name = "allocate", .configure = configure_allocate},
      {.name = "backfill", .configure = configure_backfill},
      {.name = "preempt", .configure = configure_preempt},
      {.name = "reclaim", .configure = configure_reclaim},
  }};
  return kEntries;
}

}  // namespace basalt::actions
