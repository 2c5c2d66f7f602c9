// volcano-scheduler.conf: YAML text → PolicySpec → engine::Policy.
//
// Keys: actions (comma-separated string, or a list), tiers[].plugins[] with name, arguments and the enable… switches,
// configurations[] with name and arguments, metrics. Where Volcano ignores what it does not know, this refuses: a
// misspelt key, switch or argument would leave a default in force that nobody asked for. An error names line, key and
// remedy:
//   line 7: tiers[1].plugins[2].name: unknown plugin "gangg"; did you mean "gang"?
// What Volcano has and we do not (a plugin, an action, metrics, an argument: volcano_arguments.h) is skipped with a
// warning, so that the rest of the policy stays in force; or refused, for those who want all or nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/core/policy.h"
#include "engine/policy/policy_spec.h"
#include "kube/text/field.h"

namespace basalt::state {

// The built-in policy (policy::default_policy_spec) as somebody would write it.
inline constexpr std::string_view kBuiltInConf = R"(actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: conformance
- plugins:
  - name: overcommit
  - name: drf
  - name: predicates
  - name: proportion
  - name: nodeorder
)";

enum class Unsupported : uint8_t { Skip, Refuse };

// What Volcano would have obeyed and we leave out.
struct Skipped {
  std::string kind;  // "plugin", "action", "key" or "argument"
  std::string name;
};

struct Conf {
  policy::PolicySpec spec;
  std::vector<Skipped> skipped;
  std::vector<std::string> warnings;  // one for each of `skipped`, with line and key
};

// What is written at `root`; names of plugins and actions are checked, arguments are not yet, nor other keys.
[[nodiscard]] Result<Conf> read_conf(const text::Field& root, Unsupported unsupported = Unsupported::Skip);

struct LoadedConf {
  policy::PolicySpec spec;
  engine::Policy policy;
  std::vector<Skipped> skipped;
  std::vector<std::string> warnings;
};

// The whole way, all or nothing. Cost: O(text).
[[nodiscard]] Result<LoadedConf> load_conf(std::string_view yaml, Unsupported unsupported = Unsupported::Skip);

// Names of Volcano's that the registries here do not have.
[[nodiscard]] std::span<const std::string_view> unsupported_plugins();
[[nodiscard]] std::span<const std::string_view> unsupported_actions();

// `name` is none of `known`: what to say about it. One that is near is offered, else all are listed.
[[nodiscard]] std::string unknown_name(std::string_view what, std::string_view name,
                                       std::span<const std::string_view> known);

[[nodiscard]] std::vector<std::string_view> known_plugins();
[[nodiscard]] std::vector<std::string_view> known_actions();

}  // namespace basalt::state
