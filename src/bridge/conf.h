// volcano-scheduler.conf: YAML text → PolicySpec → engine::Policy.
//
// Keys: actions (comma-separated string, or a list), tiers[].plugins[] with name, arguments and the enable… switches,
// configurations[] with name and arguments. Other keys are ignored, as Volcano does, except that an unknown enable… key
// in a plugin entry gets a warning: it is most likely a misspelt switch.
// An error names line, key and remedy:
//   line 7: tiers[1].plugins[2].name: unknown plugin "gangg"; did you mean "gang"?
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/policy.h"
#include "policy/policy_spec.h"
#include "text/field.h"

namespace basalt::bridge {

struct Conf {
  policy::PolicySpec spec;
  std::vector<std::string> warnings;
};

// What is written at `root`; names of plugins and actions are checked, arguments are not yet.
[[nodiscard]] Result<Conf> read_conf(const text::Field& root);

struct LoadedConf {
  policy::PolicySpec spec;
  engine::Policy policy;
  std::vector<std::string> warnings;
};

// The whole way, all or nothing. Cost: O(text).
[[nodiscard]] Result<LoadedConf> load_conf(std::string_view yaml);

// `name` is none of `known`: what to say about it. One that is near is offered, else all are listed.
[[nodiscard]] std::string unknown_name(std::string_view what, std::string_view name,
                                       std::span<const std::string_view> known);

[[nodiscard]] std::vector<std::string_view> known_plugins();
[[nodiscard]] std::vector<std::string_view> known_actions();

}  // namespace basalt::bridge
