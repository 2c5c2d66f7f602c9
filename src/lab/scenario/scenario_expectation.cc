#include "lab/scenario/scenario_expectation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kube/text/document_path.h"

namespace basalt::lab::scenario {

namespace {

constexpr std::array<std::string_view, 8> kKinds = {"none",  "bind",   "evict",   "pipelined",
                                                    "phase", "reason", "refused", "ungate"};

bool is_kind(const ScriptWord& word) {
  return !word.quoted && std::find(kKinds.begin(), kKinds.end(), word.text) != kKinds.end();
}

// "j1-0..2:n1" → j1-0:n1 j1-1:n1 j1-2:n1
Result<void> add_placements(const std::vector<std::string>& words, bool with_node, std::vector<std::string>& out) {
  for (const std::string& word : words) {
    if (word == "none") continue;
    const size_t colon = std::min(word.find(':'), word.size());
    if (with_node != (colon < word.size())) {
      return invalid(text::in_quotes(word) + (with_node ? " names no node; write pod:node" : " is no pod's name"));
    }
    const auto names = expand_range(word.substr(0, colon), kMaxPods);
    if (!names) return std::unexpected(names.error());
    for (const std::string& name : *names) out.push_back(name + word.substr(colon));
  }
  std::sort(out.begin(), out.end());
  return {};
}

Result<void> add_pairs(const std::vector<std::string>& words, std::string_view example,
                       std::vector<std::pair<std::string, std::string>>& out) {
  if (words.empty() || words.size() % 2 != 0) return invalid("not in pairs; write for example " + std::string(example));
  for (size_t i = 0; i < words.size(); i += 2) out.emplace_back(words[i], words[i + 1]);
  return {};
}

Result<void> add_clause(const std::string& kind, const std::vector<std::string>& words, Expectation& out) {
  if (kind == "bind") return add_placements(words, /*with_node=*/true, out.binds);
  if (kind == "pipelined") return add_placements(words, /*with_node=*/true, out.pipelined);
  if (kind == "evict") return add_placements(words, /*with_node=*/false, out.evicts);
  if (kind == "ungate") return add_placements(words, /*with_node=*/false, out.ungated);
  if (kind == "phase") return add_pairs(words, "phase j1 Running", out.phases);
  if (kind == "reason") return add_pairs(words, "reason j1 \"Insufficient cpu\"", out.reasons);
  if (kind == "refused") {
    out.names_refused = true;
    return add_placements(words, /*with_node=*/false, out.refused);
  }
  if (!words.empty()) return invalid("\"none\" stands alone; write \"expect none\" or \"expect bind none\"");
  return {};
}

std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : " ") + item;
  return text.empty() ? "none" : text;
}

std::string value_or(const std::map<std::string, std::string>& map, const std::string& key, std::string_view fallback) {
  const auto at = map.find(key);
  return at == map.end() || at->second.empty() ? std::string(fallback) : at->second;
}

std::string in_line_quotes(std::string text) {
  std::replace(text.begin(), text.end(), '"', '\'');
  return "\"" + text + "\"";
}

}  // namespace

Result<void> read_expect(const ScriptLine& line, Expectation& out) {
  out.given = true;
  if (line.words.size() < 2) return invalid("nothing is expected; write for example \"expect bind j1-0:n1\"");
  for (size_t at = 1; at < line.words.size();) {
    const std::string& kind = line.words[at].text;
    if (!is_kind(line.words[at])) {
      return invalid(text::in_quotes(kind) +
                     " is nothing to expect; write bind, evict, pipelined, phase, reason, refused, "
                     "ungate or none");
    }
    std::vector<std::string> words;
    // "none" after a kind is its value, and so is what follows a subject: reason j1 "none".
    for (++at; at < line.words.size() && (!is_kind(line.words[at]) || line.words[at].text == "none"); ++at) {
      words.push_back(line.words[at].text);
    }
    if (auto done = add_clause(kind, words, out); !done) return std::unexpected(done.error().within(kind));
  }
  return {};
}

std::vector<std::string> differences(const Expectation& expected, const ScenarioOutcome& got) {
  std::vector<std::string> found;
  if (!expected.given) return found;
  const auto compare = [&](std::string_view kind, const auto& wanted, const auto& happened) {
    if (wanted != happened) {
      found.push_back(
          fmt::format("{:<9} expected  {}\n{:<9} got       {}", kind, listed(wanted), "", listed(happened)));
    }
  };
  compare("bind", expected.binds, got.binds);
  compare("evict", expected.evicts, got.evicts);
  compare("pipelined", expected.pipelined, got.pipelined);
  compare("ungate", expected.ungated, got.ungated);
  if (expected.names_refused) compare("refused", expected.refused, got.refused);
  for (const auto& [job, phase] : expected.phases) {
    const std::string actual = value_or(got.phases, job, "no such job");
    if (actual != phase) {
      found.push_back(
          fmt::format("{:<9} expected  {} {}\n{:<9} got       {} {}", "phase", job, phase, "", job, actual));
    }
  }
  for (const auto& [name, text] : expected.reasons) {
    const std::string actual = value_or(got.reasons, name, "none");
    const bool agrees = text == "none" ? actual == "none" : in_line_quotes(actual).find(text) != std::string::npos;
    if (!agrees) {
      found.push_back(fmt::format("{:<9} expected  {} {}\n{:<9} got       {} {}", "reason", name, in_line_quotes(text),
                                  "", name, in_line_quotes(actual)));
    }
  }
  return found;
}

std::vector<std::string> rewritten(const Expectation& expected, const ScenarioOutcome& got) {
  std::vector<std::string> lines;
  const auto add = [&](std::string_view kind, const std::vector<std::string>& items) {
    if (!items.empty()) lines.push_back(fmt::format("expect   {} {}", kind, listed(items)));
  };
  add("bind", got.binds);
  add("evict", got.evicts);
  add("pipelined", got.pipelined);
  add("ungate", got.ungated);
  if (lines.empty()) lines.emplace_back("expect   none");
  if (expected.names_refused) lines.push_back("expect   refused " + listed(got.refused));
  for (const auto& [job, phase] : expected.phases) {
    lines.push_back(fmt::format("expect   phase {} {}", job, value_or(got.phases, job, phase)));
  }
  for (const auto& [name, text] : expected.reasons) {
    lines.push_back(fmt::format("expect   reason {} {}", name, in_line_quotes(value_or(got.reasons, name, "none"))));
  }
  return lines;
}

}  // namespace basalt::lab::scenario
