#include "lab/scenario/policy_lines.h"

#include <algorithm>

#include "kube/text/document_path.h"
#include "kube/text/scalar.h"

namespace basalt::lab::scenario {

namespace {

// As YAML would type it: whole number, number, true or false, else text. Quotes make it text.
engine::Argument typed(const ScriptWord& word) {
  if (!word.quoted) {
    if (const auto number = text::parse_int(word.value)) return {.value = *number};
    if (const auto number = text::parse_double(word.value)) return {.value = *number};
    if (word.value == "true" || word.value == "false") return {.value = word.value == "true"};
  }
  return {.value = word.value};
}

Result<void> need_value(const ScriptWord& word) {
  if (word.has_value) return {};
  return invalid(text::in_quotes(word.text) + " has no value; write key=value");
}

}  // namespace

bool PolicyLines::knows(const ScriptLine& line) {
  const std::string& verb = line.words[0].text;
  return verb == "tiers" || verb == "actions" || verb == "plugin" || verb == "action";
}

Result<void> PolicyLines::apply(const ScriptLine& line) {
  const std::string& verb = line.words[0].text;
  if (verb == "tiers") return set_tiers(line);
  if (verb == "actions") return set_actions(line);
  if (line.words.size() < 2) return invalid("no name; write \"" + verb + " NAME key=value\"");
  return verb == "plugin" ? set_plugin(line) : set_action(line);
}

Result<void> PolicyLines::set_tiers(const ScriptLine& line) {
  spec_.tiers.assign(1, {});
  for (size_t i = 1; i < line.words.size(); ++i) {
    const ScriptWord& word = line.words[i];
    if (word.text == "|") {
      spec_.tiers.emplace_back();
    } else if (word.has_value) {
      return invalid(text::in_quotes(word.text) + " is no plugin; give arguments on a line \"plugin NAME key=value\"");
    } else {
      spec_.tiers.back().plugins.push_back({.name = word.text, .flags = {}, .arguments = {}});
    }
  }
  return {};
}

Result<void> PolicyLines::set_actions(const ScriptLine& line) {
  spec_.actions.clear();
  for (size_t i = 1; i < line.words.size(); ++i) spec_.actions.push_back(line.words[i].text);
  return {};
}

Result<void> PolicyLines::set_plugin(const ScriptLine& line) {
  bool found = false;
  for (policy::TierSpec& tier : spec_.tiers) {
    for (policy::PluginSpec& plugin : tier.plugins) {
      if (plugin.name != line.words[1].text) continue;
      found = true;
      for (size_t i = 2; i < line.words.size(); ++i) {
        const ScriptWord& word = line.words[i];
        if (auto ok = need_value(word); !ok) return ok;
        const auto flag = std::find(engine::kFlagKeys.begin(), engine::kFlagKeys.end(), word.key);
        if (flag == engine::kFlagKeys.end()) {
          plugin.arguments[word.key] = typed(word);
          continue;
        }
        const auto on = text::parse_bool(word.value);
        if (!on) return invalid(word.key + ": " + text::in_quotes(word.value) + " is neither true nor false");
        plugin.flags[static_cast<size_t>(flag - engine::kFlagKeys.begin())] = *on;
      }
    }
  }
  if (found) return {};
  return invalid("the plugin " + text::in_quotes(line.words[1].text) +
                 " is in no tier; name it on a line \"tiers\" above");
}

Result<void> PolicyLines::set_action(const ScriptLine& line) {
  policy::ActionSpec action{.name = line.words[1].text, .arguments = {}};
  if (std::find(spec_.actions.begin(), spec_.actions.end(), action.name) == spec_.actions.end()) {
    return invalid("the action " + text::in_quotes(action.name) + " does not run; name it on a line \"actions\" above");
  }
  for (size_t i = 2; i < line.words.size(); ++i) {
    if (auto ok = need_value(line.words[i]); !ok) return ok;
    action.arguments[line.words[i].key] = typed(line.words[i]);
  }
  std::erase_if(spec_.configurations, [&](const policy::ActionSpec& old) { return old.name == action.name; });
  spec_.configurations.push_back(std::move(action));
  return {};
}

}  // namespace basalt::lab::scenario
