#include "bridge/conf.h"

#include <algorithm>

#include "actions/registry.h"
#include "base/ascii.h"
#include "plugins/registry.h"
#include "policy/build_policy.h"
#include "text/nearest.h"
#include "text/path.h"
#include "text/yaml.h"

namespace basalt::bridge {

namespace {

using text::Field;
using text::nearest;

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

Result<void> add_action(std::string_view name, const Field& at, policy::PolicySpec& out) {
  const auto known = known_actions();
  if (name.empty()) return std::unexpected(at.error("an action's name is empty; remove the extra comma"));
  if (!contains(known, name)) return std::unexpected(at.error(unknown_name("action", name, known)));
  out.actions.emplace_back(name);
  return {};
}

Result<void> read_actions(const Field& at, policy::PolicySpec& out) {
  if (!at.given()) {
    return std::unexpected(at.error("is required; write for example actions: \"enqueue, allocate, backfill\""));
  }
  if (at.value() != nullptr && at.value()->is_array()) {
    return at.each([&](const Field& item) -> Result<void> {
      const auto name = item.as_string();
      if (!name) return std::unexpected(name.error());
      return add_action(*name, item, out);
    });
  }
  const auto text = at.as_string();
  if (!text) return std::unexpected(text.error());
  std::string_view rest = *text;
  while (true) {
    const size_t comma = std::min(rest.find(','), rest.size());
    if (auto ok = add_action(trimmed(rest.substr(0, comma)), at, out); !ok) return ok;
    if (comma == rest.size()) return {};
    rest.remove_prefix(comma + 1);
  }
}

void warn_about_switches(const Field& entry, std::vector<std::string>& warnings) {
  const auto members = entry.as_object();
  if (!members) return;
  for (const auto& member : **members) {
    const std::string_view key = member.key();
    if (!key.starts_with("enable") || contains(engine::kFlagKeys, key)) continue;
    std::string warning = "unknown switch, ignored";
    if (const auto near = nearest(key, engine::kFlagKeys); !near.empty()) {
      warning += "; did you mean " + text::in_quotes(near) + "?";
    }
    warnings.push_back(entry.field(key).error(warning).message);
  }
}

Result<policy::PluginSpec> read_plugin(const Field& entry, std::vector<std::string>& warnings) {
  policy::PluginSpec out;
  const auto name = entry.field("name").as_string();
  if (!name) return std::unexpected(name.error());
  const auto known = known_plugins();
  if (!contains(known, *name)) {
    return std::unexpected(entry.field("name").error(unknown_name("plugin", *name, known)));
  }
  out.name = *name;
  for (size_t f = 0; f < engine::kFlags; ++f) {
    const Field flag = entry.field(engine::kFlagKeys[f]);
    if (!flag.given()) continue;
    const auto on = flag.as_bool();
    if (!on) return std::unexpected(on.error());
    out.flags[f] = *on;
  }
  warn_about_switches(entry, warnings);
  auto arguments = read_arguments(entry.field("arguments"));
  if (!arguments) return std::unexpected(arguments.error());
  out.arguments = std::move(*arguments);
  return out;
}

Result<void> read_tiers(const Field& at, Conf& out) {
  return at.each([&](const Field& tier) -> Result<void> {
    policy::TierSpec& made = out.spec.tiers.emplace_back();
    return tier.field("plugins").each([&](const Field& entry) -> Result<void> {
      auto plugin = read_plugin(entry, out.warnings);
      if (!plugin) return std::unexpected(plugin.error());
      made.plugins.push_back(std::move(*plugin));
      return {};
    });
  });
}

// A name that is no action is left alone: Volcano keeps settings of other components here (init-params).
Result<void> read_configurations(const Field& at, policy::PolicySpec& out) {
  return at.each([&](const Field& entry) -> Result<void> {
    const auto name = entry.field("name").as_string();
    if (!name) return std::unexpected(name.error());
    auto arguments = read_arguments(entry.field("arguments"));
    if (!arguments) return std::unexpected(arguments.error());
    out.configurations.push_back({.name = *name, .arguments = std::move(*arguments)});
    return {};
  });
}

// build_policy names the place first ("tiers[1].plugins[0]: …"): from it the line is found.
Error with_line(const Error& error, const text::LineMap& lines) {
  const uint32_t line = lines.line_of(std::string_view(error.message).substr(0, error.message.find(": ")));
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

Result<Conf> read_conf(const Field& root) {
  Conf out;
  if (auto ok = read_actions(root.field("actions"), out.spec); !ok) return std::unexpected(ok.error());
  if (auto ok = read_tiers(root.field("tiers"), out); !ok) return std::unexpected(ok.error());
  if (auto ok = read_configurations(root.field("configurations"), out.spec); !ok) return std::unexpected(ok.error());
  return out;
}

Result<LoadedConf> load_conf(std::string_view yaml) {
  const auto document = text::parse_yaml(yaml);
  if (!document) return std::unexpected(document.error());
  auto conf = read_conf(document->root());
  if (!conf) return std::unexpected(conf.error());
  if (auto ok = policy::check_combinations(conf->spec); !ok) {
    return std::unexpected(with_line(ok.error(), document->lines));
  }
  auto policy = policy::build_policy(conf->spec);
  if (!policy) return std::unexpected(with_line(policy.error(), document->lines));
  return LoadedConf{.spec = std::move(conf->spec), .policy = std::move(*policy), .warnings = std::move(conf->warnings)};
}

}  // namespace basalt::bridge
