#include "policy/build_policy.h"

#include <algorithm>
#include <string>

#include "actions/registry.h"
#include "base/hash.h"
#include "plugins/registry.h"

namespace basalt::policy {

namespace {

using engine::Flag;
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

Result<Policy::Plugin> build_plugin(const PluginSpec& spec, size_t tier, bool absent_flags_on) {
  const auto entries = plugins::registry();
  const auto entry = find_entry(entries, spec.name);
  if (entry == entries.end()) {
    return failure(ErrorCode::NotFound,
                   "unknown plugin \"" + spec.name + "\"; known plugins are " + known_names(entries));
  }
  Result<engine::PluginMaker> maker = entry->configure(engine::Arguments(spec.arguments));
  if (!maker) return std::unexpected(maker.error().within(spec.name));
  Policy::Plugin plugin{.name = spec.name, .tier = static_cast<uint16_t>(tier), .make = std::move(*maker)};
  for (size_t f = 0; f < engine::kFlags; ++f) {
    plugin.flags[f] = spec.flags[f].value_or(absent_flags_on && engine::default_of(static_cast<Flag>(f)));
  }
  return plugin;
}

Result<Policy::Action> build_action(const std::string& name, const PolicySpec& spec) {
  const auto entries = actions::registry();
  const auto entry = find_entry(entries, name);
  if (entry == entries.end()) {
    return failure(ErrorCode::NotFound, "unknown action \"" + name + "\"; known actions are " + known_names(entries));
  }
  engine::Arguments arguments;
  for (const ActionSpec& action : spec.configurations) {
    if (action.name == name) {
      arguments = engine::Arguments(action.arguments);
      break;
    }
  }
  auto run = entry->configure(arguments);
  if (!run) return std::unexpected(run.error().within("configurations." + name));
  return Policy::Action{.name = name, .run = std::move(*run)};
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

Result<engine::VictimRule> victim_rule(const PolicySpec& spec) {
  for (const ActionSpec& action : spec.configurations) {
    if (action.name != "preempt" && action.name != "reclaim") continue;
    const Result<std::string> rule = engine::Arguments(action.arguments).get_string(kVictimRuleKey, "everyTier");
    if (!rule) return std::unexpected(rule.error().within("configurations." + action.name));
    if (*rule == "firstTier") return engine::VictimRule::FirstTier;
    if (*rule != "everyTier") {
      return invalid("configurations." + action.name + ": arguments.victimRule: unknown rule \"" + *rule +
                     "\"; write everyTier or firstTier");
    }
  }
  return engine::VictimRule::EveryTier;
}

}  // namespace

Result<void> check_combinations(const PolicySpec& spec) {
  for (size_t t = 0; t < spec.tiers.size(); ++t) {
    bool hierarchical_drf = false;
    bool proportion = false;
    for (const PluginSpec& plugin : spec.tiers[t].plugins) {
      if (plugin.name == "drf") hierarchical_drf = plugin.flags[static_cast<size_t>(Flag::Hierarchy)].value_or(false);
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
    auto action = build_action(spec.actions[a], spec);
    if (!action) return std::unexpected(action.error().within("actions[" + std::to_string(a) + "]"));
    policy.actions.push_back(std::move(*action));
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
  const auto rule = victim_rule(spec);
  if (!rule) return std::unexpected(rule.error());
  policy.victim_rule = *rule;
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
