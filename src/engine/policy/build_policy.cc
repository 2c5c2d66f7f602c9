#include "engine/policy/build_policy.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string>

#include "base/fingerprint.h"
#include "base/nearest_name.h"
#include "engine/actions/action_registry.h"
#include "engine/plugins/plugin_registry.h"

namespace basalt::policy {

namespace {

using engine::PluginFlag;
using engine::Policy;

// Volcano's own victim rule, for those who must have it; see docs/compat.md.
constexpr std::string_view kVictimRuleKey = "victimRule";

template <class Entries>
std::string known_names(const Entries& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.emplace_back(entry.name);
  std::sort(names.begin(), names.end());
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

template <class Entries>
auto find_entry(const Entries& entries, std::string_view name) {
  return std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.name == name; });
}

// An argument that ends in '.' takes a name: of those the part before the name is compared. "": none is near.
std::string nearest_argument(std::string_view key, std::span<const std::string_view> known) {
  std::vector<std::string_view> prefixes;
  for (const std::string_view one : known) {
    if (one.ends_with('.')) prefixes.push_back(one);
  }
  for (size_t dot = key.find('.'); dot != std::string_view::npos && !prefixes.empty(); dot = key.find('.', dot + 1)) {
    const std::string_view near = nearest(key.substr(0, dot + 1), prefixes);
    if (!near.empty()) return std::string(near) + std::string(key.substr(dot + 1));
  }
  return std::string(nearest(key, known));
}

// A misspelt argument would leave its default in force, unseen: whoever configured has asked for all that it knows.
Result<void> all_known(const engine::Arguments& arguments) {
  const std::string_view key = arguments.unasked();
  if (key.empty()) return {};
  const std::vector<std::string_view> known(arguments.asked().begin(), arguments.asked().end());
  std::string message = "arguments." + std::string(key) + ": unknown argument; ";
  if (const std::string near = nearest_argument(key, known); !near.empty()) {
    return invalid(message + "did you mean \"" + near + "\"?");
  }
  if (known.empty()) return invalid(message + "there are none here");
  message += "known are ";
  for (size_t i = 0; i < known.size(); ++i) message.append(i == 0 ? "" : ", ").append(known[i]);
  return invalid(message);
}

Result<Policy::Plugin> build_plugin(const PluginSpec& spec, size_t tier, bool absent_flags_on) {
  const auto entries = plugins::registry();
  const auto entry = find_entry(entries, spec.name);
  if (entry == entries.end()) {
    return failure(ErrorCode::NotFound,
                   "unknown plugin \"" + spec.name + "\"; known plugins are " + known_names(entries));
  }
  const engine::Arguments arguments(spec.arguments);
  Result<engine::PluginMaker> maker = entry->configure(arguments);
  if (!maker) return std::unexpected(maker.error().within(spec.name));
  if (auto known = all_known(arguments); !known) return std::unexpected(known.error().within(spec.name));
  Policy::Plugin plugin{.name = spec.name, .tier = static_cast<uint16_t>(tier), .make = std::move(*maker)};
  for (size_t f = 0; f < engine::kFlags; ++f) {
    plugin.flags[f] = spec.flags[f].value_or(absent_flags_on && engine::default_of(static_cast<PluginFlag>(f)));
  }
  return plugin;
}

// Read by whoever asks for the victims of an action, not by the action itself.
Result<engine::VictimRule> victim_rule(const engine::Arguments& arguments) {
  const Result<std::string> rule = arguments.get_string(kVictimRuleKey, "everyTier");
  if (!rule) return std::unexpected(rule.error());
  if (*rule == "firstTier") return engine::VictimRule::FirstTier;
  if (*rule == "everyTier") return engine::VictimRule::EveryTier;
  return invalid("arguments.victimRule: unknown rule \"" + *rule + "\"; write everyTier or firstTier");
}

// An error names `at` or, if it is about arguments, their place.
Result<void> add_action(const std::string& name, const std::string& at, const PolicySpec& spec, Policy& policy) {
  const auto entries = actions::registry();
  const auto entry = find_entry(entries, name);
  if (entry == entries.end()) {
    return failure(ErrorCode::NotFound,
                   at + ": unknown action \"" + name + "\"; known actions are " + known_names(entries));
  }
  // The first entry of an action counts.
  const auto given = find_entry(spec.configurations, name);
  const engine::Arguments arguments(given == spec.configurations.end() ? engine::ArgumentMap() : given->arguments);
  const std::string place =
      "configurations[" + std::to_string(given - spec.configurations.begin()) + "]: " + name;  // of what is given
  auto run = entry->configure(arguments);
  if (!run) return std::unexpected(run.error().within(place));
  if (name == "preempt" || name == "reclaim") {
    const auto rule = victim_rule(arguments);
    if (!rule) return std::unexpected(rule.error().within(place));
    (name == "preempt" ? policy.preempt_rule : policy.reclaim_rule) = *rule;
  }
  if (auto known = all_known(arguments); !known) return std::unexpected(known.error().within(place));
  policy.actions.push_back({.name = name, .run = std::move(*run)});
  return {};
}

void add(Fingerprint& print, const engine::Argument& argument) {
  print.add(argument.value.index());
  if (const auto* flag = std::get_if<bool>(&argument.value)) print.add(uint64_t{*flag});
  if (const auto* number = std::get_if<int64_t>(&argument.value)) print.add(static_cast<uint64_t>(*number));
  if (const auto* number = std::get_if<double>(&argument.value)) print.add(std::to_string(*number));
  if (const auto* text = std::get_if<std::string>(&argument.value)) print.add(*text);
  if (const auto* list = std::get_if<engine::ArgumentList>(&argument.value)) {
    for (const auto& item : *list) add(print, item);
  }
  if (const auto* map = std::get_if<engine::ArgumentMap>(&argument.value)) {
    for (const auto& [key, item] : *map) {
      print.add(key);
      add(print, item);
    }
  }
}

void add(Fingerprint& print, const engine::ArgumentMap& arguments) { add(print, engine::Argument{.value = arguments}); }

uint64_t fingerprint_of(const PolicySpec& spec) {
  Fingerprint print;
  for (const std::string& action : spec.actions) print.add(action);
  for (const TierSpec& tier : spec.tiers) {
    print.add(tier.plugins.size());
    for (const PluginSpec& plugin : tier.plugins) {
      print.add(plugin.name);
      for (const auto& flag : plugin.flags) print.add(flag ? uint64_t{*flag} + 1 : 0);
      add(print, plugin.arguments);
    }
  }
  for (const ActionSpec& action : spec.configurations) {
    print.add(action.name);
    add(print, action.arguments);
  }
  return print.add(uint64_t{spec.absent_flags_on}).value();
}

// Numbers that Volcano replaces by their default without a word, or obeys though nobody can mean them: a negative
// weight would turn a preference around.
struct Range {
  std::string_view owner, key;  // a key that ends in '.': all that begin with it; that begins with '.': all that end so
  double least, most;
  std::string_view means;
};
constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr Range kPluginRanges[] = {
    {"overcommit", "overcommit-factor", 1, kNoLimit, "at least 1"},
    {"binpack", "binpack.", 0, kNoLimit, "not negative"},
    {"capacity", "ancestorReclaimLevel", 0, kNoLimit, "not negative"},
    {"nodeorder", ".weight", 0, kNoLimit, "not negative"},
    {"task-topology", "task-topology.weight", 0, kNoLimit, "not negative"},
};
constexpr Range kActionRanges[] = {
    {"preempt", "minCandidateNodesPercentage", 0, 100, "between 0 and 100"},
    {"preempt", "minCandidateNodesAbsolute", 0, kNoLimit, "not negative"},
    {"preempt", "maxCandidateNodesAbsolute", 1, kNoLimit, "at least 1"},
    {"preempt", "topologyAwarePreemptWorkerNum", 1, kNoLimit, "at least 1"},
};

Result<void> check_ranges(std::string_view owner, const engine::ArgumentMap& arguments, std::span<const Range> ranges) {
  for (const auto& [key, argument] : arguments) {
    const auto range = std::find_if(ranges.begin(), ranges.end(), [&](const Range& row) {
      if (row.owner != owner) return false;
      if (row.key.starts_with('.')) return key.ends_with(row.key);
      return row.key.ends_with('.') ? key.starts_with(row.key) : key == row.key;
    });
    if (range == ranges.end()) continue;
    const auto* whole = std::get_if<int64_t>(&argument.value);
    const auto* real = std::get_if<double>(&argument.value);
    if (whole == nullptr && real == nullptr) continue;  // of which type it must be is said elsewhere
    const double number = whole != nullptr ? static_cast<double>(*whole) : *real;
    if (number >= range->least && number <= range->most) continue;
    return invalid("arguments." + key + ": must be " + std::string(range->means));
  }
  return {};
}

}  // namespace

Result<void> check_values(const PolicySpec& spec) {
  for (size_t t = 0; t < spec.tiers.size(); ++t) {
    for (size_t p = 0; p < spec.tiers[t].plugins.size(); ++p) {
      const PluginSpec& plugin = spec.tiers[t].plugins[p];
      if (auto ok = check_ranges(plugin.name, plugin.arguments, kPluginRanges); !ok) {
        return std::unexpected(
            ok.error().within("tiers[" + std::to_string(t) + "].plugins[" + std::to_string(p) + "]: " + plugin.name));
      }
    }
  }
  for (size_t c = 0; c < spec.configurations.size(); ++c) {
    const ActionSpec& action = spec.configurations[c];
    if (auto ok = check_ranges(action.name, action.arguments, kActionRanges); !ok) {
      return std::unexpected(ok.error().within("configurations[" + std::to_string(c) + "]: " + action.name));
    }
  }
  return {};
}

Result<void> check_combinations(const PolicySpec& spec) {
  for (size_t t = 0; t < spec.tiers.size(); ++t) {
    bool hierarchical_drf = false;
    bool proportion = false;
    for (const PluginSpec& plugin : spec.tiers[t].plugins) {
      if (plugin.name == "drf")
        hierarchical_drf = plugin.flags[static_cast<size_t>(PluginFlag::Hierarchy)].value_or(false);
      if (plugin.name == "proportion") proportion = true;
    }
    if (hierarchical_drf && proportion) {
      return invalid("tiers[" + std::to_string(t) +
                     "]: drf with enableHierarchy and proportion contradict each other in one tier; keep one of them");
    }
  }
  return {};
}

Result<Policy> build_policy(const PolicySpec& spec) {
  Policy policy;
  if (spec.actions.empty())
    return invalid("actions: the list is empty; write for example \"enqueue, allocate, backfill\"");
  for (size_t a = 0; a < spec.actions.size(); ++a) {
    if (auto ok = add_action(spec.actions[a], "actions[" + std::to_string(a) + "]", spec, policy); !ok)
      return std::unexpected(ok.error());
  }
  Policy idle;  // what is written for an action that does not run must be right all the same
  for (const ActionSpec& action : spec.configurations) {
    const bool runs = std::find(spec.actions.begin(), spec.actions.end(), action.name) != spec.actions.end();
    const auto entries = actions::registry();
    if (runs || find_entry(entries, action.name) == entries.end()) continue;
    if (auto ok = add_action(action.name, "configurations", spec, idle); !ok) return std::unexpected(ok.error());
  }
  for (size_t t = 0; t < spec.tiers.size(); ++t) {
    const std::string place = "tiers[" + std::to_string(t) + "]";
    for (size_t p = 0; p < spec.tiers[t].plugins.size(); ++p) {
      auto plugin = build_plugin(spec.tiers[t].plugins[p], t, spec.absent_flags_on);
      if (!plugin) {
        return std::unexpected(plugin.error().within(place + ".plugins[" + std::to_string(p) + "]"));
      }
      policy.plugins.push_back(std::move(*plugin));
    }
  }
  policy.fingerprint = fingerprint_of(spec);
  return policy;
}

PolicySpec default_policy_spec() {
  PolicySpec spec;
  spec.actions = {"enqueue", "allocate", "backfill"};
  const auto tier = [](std::initializer_list<const char*> names) {
    TierSpec made;
    for (const char* name : names) made.plugins.push_back({.name = name, .flags = {}, .arguments = {}});
    return made;
  };
  spec.tiers = {tier({"priority", "gang", "conformance"}),
                tier({"overcommit", "drf", "predicates", "proportion", "nodeorder"})};
  return spec;
}

}  // namespace basalt::policy
