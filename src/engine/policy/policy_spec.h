// volcano-scheduler.conf as plain data: what was written, before it is checked. Knows no YAML.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/arguments.h"
#include "engine/core/plugin_flags.h"

namespace basalt::policy {

struct PluginSpec {
  std::string name;
  std::array<std::optional<bool>, engine::kFlags> flags;  // by engine::PluginFlag; nullopt: key absent
  engine::ArgumentMap arguments;
};

struct TierSpec {
  std::vector<PluginSpec> plugins;
};

struct ActionSpec {  // an entry of `configurations`
  std::string name;
  engine::ArgumentMap arguments;
};

struct PolicySpec {
  std::vector<std::string> actions;
  std::vector<TierSpec> tiers;
  std::vector<ActionSpec> configurations;
  bool absent_flags_on = true;  // false: an absent switch is off (Volcano's unit tests run that way)
};

// enqueue, allocate, backfill; priority gang conformance | overcommit drf predicates proportion nodeorder.
PolicySpec default_policy_spec();

}  // namespace basalt::policy
