// What to do each cycle, validated: actions in order and plugins in tiers. Built by policy/ from a PolicySpec.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/combine.h"
#include "engine/core/plugin.h"

namespace basalt::engine {

// An action: a name and what it runs. Its arguments come from the conf's `configurations`.
using ActionRun = std::function<void(Session&)>;

struct ActionEntry {
  std::string_view name;
  Result<ActionRun> (*configure)(const Arguments& arguments) = nullptr;
};

struct Policy {
  struct Action {
    std::string name;
    ActionRun run;
  };
  struct Plugin {
    std::string name;
    uint16_t tier = 0;
    FlagSet flags{};
    PluginMaker make;
  };
  std::vector<Action> actions;
  std::vector<Plugin> plugins;                      // in tier order
  VictimRule preempt_rule = VictimRule::EveryTier;  // each action has its own
  VictimRule reclaim_rule = VictimRule::EveryTier;
  uint64_t fingerprint = 0;  // of everything above: another policy, another memory

  // Whether some victims are chosen by Volcano's rule.
  [[nodiscard]] bool uses_first_tier() const {
    return preempt_rule == VictimRule::FirstTier || reclaim_rule == VictimRule::FirstTier;
  }
  // Whether `later` runs somewhere behind `earlier` in a cycle.
  [[nodiscard]] bool runs_behind(std::string_view earlier, std::string_view later) const {
    bool seen = false;
    for (const Action& action : actions) {
      if (seen && action.name == later) return true;
      seen = seen || action.name == earlier;
    }
    return false;
  }
  [[nodiscard]] bool has_action(std::string_view name) const {
    for (const Action& action : actions) {
      if (action.name == name) return true;
    }
    return false;
  }
};

}  // namespace basalt::engine
