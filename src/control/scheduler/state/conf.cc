#include "control/scheduler/state/conf.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/ascii.h"
#include "base/nearest_name.h"
#include "control/scheduler/state/volcano_arguments.h"
#include "engine/actions/action_registry.h"
#include "engine/plugins/plugin_registry.h"
#include "engine/policy/build_policy.h"
#include "kube/text/document_path.h"
#include "kube/text/yaml.h"

namespace basalt::state {

namespace {

using text::Field;

constexpr std::array<std::string_view, 7> kUnsupportedPlugins = {
    "deviceshare",           "extender", "network-topology-aware", "numa-aware", "rescheduling",
    "resource-strategy-fit", "usage"};
constexpr std::array<std::string_view, 3> kUnsupportedActions = {"gangpreempt", "gangreclaim", "shuffle"};
constexpr std::array<std::string_view, 4> kTopKeys = {"actions", "configurations", "metrics", "tiers"};
// Settings of other components that Volcano keeps among the configurations.
constexpr std::string_view kInitParams = "init-params";

engine::Argument to_argument(const text::Value& value) {
  if (value.is_bool()) return {value.get_bool()};
  if (value.is_int64()) return {value.get_int64()};
  if (value.is_uint64()) return {static_cast<double>(value.get_uint64())};
  if (value.is_double()) return {value.get_double()};
  if (value.is_string()) return {std::string(value.get_string())};
  if (value.is_array()) {
    engine::ArgumentList list;
    for (const text::Value& item : value.get_array()) list.push_back(to_argument(item));
    return {std::move(list)};
  }
  if (value.is_object()) {
    engine::ArgumentMap map;
    for (const auto& member : value.get_object()) map.emplace(member.key(), to_argument(member.value()));
    return {std::move(map)};
  }
  return {};
}

Result<engine::ArgumentMap> read_arguments(const Field& at) {
  engine::ArgumentMap out;
  auto done = at.each_member([&](std::string_view key, const Field& member) -> Result<void> {
    const text::Value* value = member.value();
    out.emplace(key, value == nullptr ? engine::Argument() : to_argument(*value));
    return {};
  });
  if (!done) return std::unexpected(done.error());
  return out;
}

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// `what` is Volcano's and not ours: left out with a warning, or refused.
Result<void> skip(std::string_view kind, std::string_view name, const Field& at, Unsupported unsupported, Conf& out) {
  const std::string message = "Volcano's " + std::string(kind) + " " + text::in_quotes(name) + " is not supported";
  if (unsupported == Unsupported::Refuse) return std::unexpected(at.error(message + "; remove it"));
  out.warnings.push_back(at.error(message + " and skipped; the rest is in force").message);
  out.skipped.push_back({.kind = std::string(kind), .name = std::string(name)});
  return {};
}

// Every key of `entry` is one of `known`.
Result<void> only_keys(const Field& entry, std::span<const std::string_view> known) {
  return entry.each_member([&](std::string_view key, const Field& member) -> Result<void> {
    if (contains(known, key)) return {};
    return std::unexpected(member.error(unknown_name("key", key, known)));
  });
}

// Both kinds of names, for somebody who mistyped one.
std::vector<std::string_view> with(std::vector<std::string_view> names, std::span<const std::string_view> more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

Result<void> add_action(std::string_view name, const Field& at, Unsupported unsupported, Conf& out) {
  if (name.empty()) return std::unexpected(at.error("an action's name is empty; remove the extra comma"));
  if (contains(kUnsupportedActions, name)) return skip("action", name, at, unsupported, out);
  const auto known = known_actions();
  if (!contains(known, name)) {
    return std::unexpected(at.error(unknown_name("action", name, with(known, kUnsupportedActions))));
  }
  out.spec.actions.emplace_back(name);
  return {};
}

Result<void> read_actions(const Field& at, Unsupported unsupported, Conf& out) {
  if (!at.given()) {
    return std::unexpected(at.error("is required; write for example actions: \"enqueue, allocate, backfill\""));
  }
  if (at.value() != nullptr && at.value()->is_array()) {
    return at.each([&](const Field& item) -> Result<void> {
      const auto name = item.as_string();
      if (!name) return std::unexpected(name.error());
      return add_action(*name, item, unsupported, out);
    });
  }
  const auto text = at.as_string();
  if (!text) return std::unexpected(text.error());
  std::string_view rest = *text;
  while (true) {
    const size_t comma = std::min(rest.find(','), rest.size());
    if (auto ok = add_action(trimmed(rest.substr(0, comma)), at, unsupported, out); !ok) return ok;
    if (comma == rest.size()) return {};
    rest.remove_prefix(comma + 1);
  }
}

// Arguments that change nothing here are told, and taken out where nobody would know them.
Result<void> skip_arguments(std::string_view owner, const Field& at, Unsupported unsupported,
                            engine::ArgumentMap& arguments, Conf& out) {
  return at.each_member([&](std::string_view key, const Field& member) -> Result<void> {
    const VolcanoArgument how = volcano_argument(owner, key);
    if (how == VolcanoArgument::No) return {};
    if (auto ok = skip("argument", key, member, unsupported, out); !ok) return ok;
    if (how == VolcanoArgument::Unread) arguments.erase(arguments.find(key));
    return {};
  });
}

Result<policy::PluginSpec> read_plugin(const std::string& name, const Field& entry) {
  policy::PluginSpec out;
  out.name = name;
  if (auto ok = only_keys(entry, with({"name", "arguments"}, engine::kFlagKeys)); !ok) {
    return std::unexpected(ok.error());
  }
  for (size_t f = 0; f < engine::kFlags; ++f) {
    const Field flag = entry.field(engine::kFlagKeys[f]);
    if (!flag.given()) continue;
    const auto on = flag.as_bool();
    if (!on) return std::unexpected(on.error());
    out.flags[f] = *on;
  }
  auto arguments = read_arguments(entry.field("arguments"));
  if (!arguments) return std::unexpected(arguments.error());
  out.arguments = std::move(*arguments);
  return out;
}

Result<void> add_plugin(const Field& entry, Unsupported unsupported, policy::TierSpec& tier, Conf& out) {
  const Field at = entry.field("name");
  const auto name = at.as_string();
  if (!name) return std::unexpected(name.error());
  if (contains(kUnsupportedPlugins, *name)) return skip("plugin", *name, at, unsupported, out);
  const auto known = known_plugins();
  if (!contains(known, *name)) {
    return std::unexpected(at.error(unknown_name("plugin", *name, with(known, kUnsupportedPlugins))));
  }
  auto plugin = read_plugin(*name, entry);
  if (!plugin) return std::unexpected(plugin.error());
  if (auto ok = skip_arguments(*name, entry.field("arguments"), unsupported, plugin->arguments, out); !ok) return ok;
  tier.plugins.push_back(std::move(*plugin));
  return {};
}

Result<void> read_tiers(const Field& at, Unsupported unsupported, Conf& out) {
  static constexpr std::array<std::string_view, 1> kKeys = {"plugins"};
  return at.each([&](const Field& tier) -> Result<void> {
    if (auto ok = only_keys(tier, kKeys); !ok) return ok;
    policy::TierSpec& made = out.spec.tiers.emplace_back();
    return tier.field("plugins").each([&](const Field& entry) { return add_plugin(entry, unsupported, made, out); });
  });
}

Result<void> read_configurations(const Field& at, Unsupported unsupported, Conf& out) {
  static constexpr std::array<std::string_view, 2> kKeys = {"arguments", "name"};
  std::set<std::string> seen;
  return at.each([&](const Field& entry) -> Result<void> {
    const auto name = entry.field("name").as_string();
    if (!name) return std::unexpected(name.error());
    if (auto ok = only_keys(entry, kKeys); !ok) return ok;
    if (!seen.insert(*name).second) {
      return std::unexpected(entry.error("a second entry for " + text::in_quotes(*name) + "; only the first counts"));
    }
    const auto known = with(with(known_actions(), kUnsupportedActions), std::array{kInitParams});
    if (!contains(known, *name)) {
      return std::unexpected(entry.field("name").error(unknown_name("action", *name, known)));
    }
    auto arguments = read_arguments(entry.field("arguments"));
    if (!arguments) return std::unexpected(arguments.error());
    if (auto ok = skip_arguments(*name, entry.field("arguments"), unsupported, *arguments, out); !ok) return ok;
    out.spec.configurations.push_back({.name = *name, .arguments = std::move(*arguments)});
    return {};
  });
}

// build_policy names the place first, then plugin or action and argument ("tiers[1].plugins[0]: binpack:
// arguments.binpack.weight: …"): from these the line is found, that of the argument if it has one of its own.
Error with_line(const Error& error, const text::LineMap& lines) {
  const std::string_view message = error.message;
  std::string path(message.substr(0, message.find(": ")));
  constexpr std::string_view kArgument = ": arguments.";
  if (const size_t found = message.find(kArgument); found != std::string_view::npos) {
    const std::string_view rest = message.substr(found + kArgument.size());
    text::append_key(path, "arguments");
    text::append_key(path, rest.substr(0, rest.find(": ")));
  }
  const uint32_t line = lines.line_of(path);
  return line == 0 ? error : error.within("line " + std::to_string(line));
}

}  // namespace

std::vector<std::string_view> known_plugins() {
  std::vector<std::string_view> names;
  for (const engine::PluginEntry& entry : plugins::registry()) names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string_view> known_actions() {
  std::vector<std::string_view> names;
  for (const engine::ActionEntry& entry : actions::registry()) names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  return names;
}

std::string unknown_name(std::string_view what, std::string_view name, std::span<const std::string_view> known) {
  std::string message = "unknown " + std::string(what) + " " + text::in_quotes(name) + "; ";
  if (const auto near = nearest(name, known); !near.empty()) {
    return message + "did you mean " + text::in_quotes(near) + "?";
  }
  message += "known are ";
  for (size_t i = 0; i < known.size(); ++i) message.append(i == 0 ? "" : ", ").append(known[i]);
  return message;
}

std::span<const std::string_view> unsupported_plugins() { return kUnsupportedPlugins; }
std::span<const std::string_view> unsupported_actions() { return kUnsupportedActions; }

Result<Conf> read_conf(const Field& root, Unsupported unsupported) {
  Conf out;
  if (auto ok = read_actions(root.field("actions"), unsupported, out); !ok) return std::unexpected(ok.error());
  if (auto ok = read_tiers(root.field("tiers"), unsupported, out); !ok) return std::unexpected(ok.error());
  if (auto ok = read_configurations(root.field("configurations"), unsupported, out); !ok)
    return std::unexpected(ok.error());
  const Field metrics = root.field("metrics");
  if (metrics.given()) {
    if (auto ok = skip("key", "metrics", metrics, unsupported, out); !ok) return std::unexpected(ok.error());
  }
  return out;
}

Result<LoadedConf> load_conf(std::string_view yaml, Unsupported unsupported) {
  const auto document = text::parse_yaml(yaml);
  if (!document) return std::unexpected(document.error());
  if (auto ok = only_keys(document->root(), kTopKeys); !ok) return std::unexpected(ok.error());
  auto conf = read_conf(document->root(), unsupported);
  if (!conf) return std::unexpected(conf.error());
  for (const auto check : {policy::check_combinations, policy::check_values}) {
    if (auto ok = check(conf->spec); !ok) return std::unexpected(with_line(ok.error(), document->lines));
  }
  auto policy = policy::build_policy(conf->spec);
  if (!policy) return std::unexpected(with_line(policy.error(), document->lines));
  return LoadedConf{.spec = std::move(conf->spec),
                    .policy = std::move(*policy),
                    .skipped = std::move(conf->skipped),
                    .warnings = std::move(conf->warnings)};
}

}  // namespace basalt::state
