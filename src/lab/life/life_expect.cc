#include "lab/life/life_expect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "lab/life/life_facts.h"
#include "lab/scenario/scenario_cluster.h"

namespace basalt::lab {
namespace {

using lab::scenario::ScriptWord;
using Words = std::vector<ScriptWord>;

// "a b" of an expected text and the text that is there.
struct Pair {
  std::string expected, actual;
};

std::string spelled(const ScriptWord& word) {
  const bool blank = word.text.empty() || word.text.find_first_of(" \t#") != std::string::npos;
  return word.quoted || blank ? fmt::format("\"{}\"", word.text) : word.text;
}

std::string spelled(std::string_view text) { return spelled(ScriptWord{.text = std::string(text)}); }

std::string joined(const Words& words) {
  std::string text;
  for (const ScriptWord& word : words) text += (text.empty() ? "" : " ") + spelled(word);
  return text;
}

Result<Pair> pairs(const Words& words, const std::function<std::string(const std::string&)>& value_of) {
  if (words.size() % 2 != 0) return invalid("names and values alternate; write for example: phase j1 Running");
  Pair out;
  for (size_t at = 0; at < words.size(); at += 2) {
    const char* blank = at == 0 ? "" : " ";
    out.expected += blank + words[at].text + " " + words[at + 1].text;
    out.actual += blank + words[at].text + " " + value_of(words[at].text);
  }
  return out;
}

Result<Pair> phase(const Words& words, LifeInterpreter& interpreter) {
  return pairs(words, [&](const std::string& job) { return life_job_phase(interpreter, job); });
}
Result<Pair> retry(const Words& words, LifeInterpreter& interpreter) {
  return pairs(words,
               [&](const std::string& job) { return life_job_number(interpreter, job, LifeJobNumber::RetryCount); });
}
Result<Pair> version(const Words& words, LifeInterpreter& interpreter) {
  return pairs(words,
               [&](const std::string& job) { return life_job_number(interpreter, job, LifeJobNumber::Version); });
}
Result<Pair> state(const Words& words, LifeInterpreter& interpreter) {
  return pairs(words, [&](const std::string& name) { return life_queue_state(interpreter, name); });
}

Result<Pair> pods(const Words& words, LifeInterpreter& interpreter) {
  std::vector<std::string> expected;
  bool phases = false;
  for (size_t at = 1; at < words.size(); ++at) {
    if (words[at].text == "none") continue;
    const size_t colon = std::min(words[at].text.find(':'), words[at].text.size());
    phases = phases || colon < words[at].text.size();
    const auto names = lab::scenario::expand_range(words[at].text.substr(0, colon), kMaxNamesOfRange);
    if (!names) return std::unexpected(names.error());
    for (const std::string& name : *names) expected.push_back(name + words[at].text.substr(colon));
  }
  std::vector<std::string> actual = life_pods(interpreter, words[0].text, phases);
  const bool same = std::ranges::is_permutation(expected, actual);
  const std::string written = joined(words);
  const std::string seen = actual.empty() ? "none" : fmt::format("{}", fmt::join(actual, " "));
  return Pair{.expected = written, .actual = same ? written : fmt::format("{} {}", words[0].text, seen)};
}

Result<Pair> counts(const Words& words, LifeInterpreter& interpreter) {
  std::vector<std::string> expected;
  for (size_t at = 1; at < words.size(); ++at) {
    if (words[at].text != "none") expected.push_back(words[at].text);
  }
  const std::vector<std::string> actual = life_counts(interpreter, words[0].text);
  const std::string written = joined(words);
  if (std::ranges::is_permutation(expected, actual)) return Pair{.expected = written, .actual = written};
  const std::string seen = actual.empty() ? "none" : fmt::format("{}", fmt::join(actual, " "));
  return Pair{.expected = written, .actual = fmt::format("{} {}", words[0].text, seen)};
}

Result<Pair> writes(const Words& words, LifeInterpreter& interpreter) {
  return Pair{.expected = words[0].text, .actual = std::to_string(interpreter.writes())};
}

Result<Pair> event(const Words& words, LifeInterpreter& interpreter) {
  if (words.size() < 2) return invalid("which event? write: event j1 ExecuteAction \"part of the message\"");
  const std::string part = words.size() > 2 ? words[2].text : "";
  const std::vector<std::pair<std::string, std::string>> seen = life_events(interpreter, words[0].text);
  std::string all;
  for (const auto& [reason, message] : seen) {
    if (reason == words[1].text && message.find(part) != std::string::npos) {
      return Pair{.expected = joined(words), .actual = joined(words)};
    }
    all += fmt::format("{} {} \"{}\"", all.empty() ? "" : "; ", reason, message);
  }
  return Pair{.expected = joined(words),
              .actual = fmt::format("{} none   # there are:{}", words[0].text, all.empty() ? " none" : all)};
}

// Which of the objects that words[1…] name are there.
Result<Pair> presence(const Words& words, LifeInterpreter& interpreter, bool wanted) {
  if (words.size() < 2) return invalid("what? write for example: gone job j1");
  const auto kind = life_kind(words[0].text);
  if (!kind) return std::unexpected(kind.error());
  std::string actual = words[0].text;
  for (size_t at = 1; at < words.size(); ++at) {
    if ((interpreter.object(**kind, words[at].text) != nullptr) == wanted) actual += " " + words[at].text;
  }
  return Pair{.expected = joined(words), .actual = std::move(actual)};
}
Result<Pair> there(const Words& words, LifeInterpreter& interpreter) { return presence(words, interpreter, true); }
Result<Pair> gone(const Words& words, LifeInterpreter& interpreter) { return presence(words, interpreter, false); }

Result<Pair> names(const Words& words, LifeInterpreter& interpreter) {
  const auto kind = life_kind(words[0].text);
  if (!kind) return std::unexpected(kind.error());
  std::vector<std::string> expected;
  for (size_t at = 1; at < words.size(); ++at) {
    if (words[at].text != "none") expected.push_back(words[at].text);
  }
  const std::vector<std::string> actual = life_names(interpreter, **kind);
  const std::string written = joined(words);
  if (std::ranges::is_permutation(expected, actual)) return Pair{.expected = written, .actual = written};
  const std::string seen = actual.empty() ? "none" : fmt::format("{}", fmt::join(actual, " "));
  return Pair{.expected = written, .actual = fmt::format("{} {}", words[0].text, seen)};
}

Result<Pair> count(const Words& words, LifeInterpreter& interpreter) {
  if (words.size() != 2) return invalid("how many of which kind? write: count pvc 1");
  const auto kind = life_kind(words[0].text);
  if (!kind) return std::unexpected(kind.error());
  return Pair{.expected = joined(words),
              .actual = fmt::format("{} {}", words[0].text, life_names(interpreter, **kind).size())};
}

Result<Pair> refused(const Words& words, LifeInterpreter& interpreter) {
  const std::string written = joined(words);
  if (!interpreter.refusal().empty() && interpreter.refusal().find(words[0].text) != std::string::npos) {
    return Pair{.expected = written, .actual = written};
  }
  return Pair{.expected = written, .actual = interpreter.refusal().empty() ? "none" : spelled(interpreter.refusal())};
}

Result<Pair> field(const Words& words, LifeInterpreter& interpreter) {
  if (words.size() != 4) return invalid("which field of what? write: field job j1 .status.minAvailable 2");
  const auto kind = life_kind(words[0].text);
  if (!kind) return std::unexpected(kind.error());
  auto value = life_field(interpreter, **kind, words[1].text, words[2].text);
  if (!value) return std::unexpected(value.error());
  const std::string head = fmt::format("{} {} {}", words[0].text, words[1].text, spelled(words[2]));
  return Pair{.expected = fmt::format("{} {}", head, spelled(words[3].text)),
              .actual = fmt::format("{} {}", head, spelled(*value))};
}

struct Row {
  std::string_view word;
  Result<Pair> (*look)(const Words& words, LifeInterpreter& interpreter);
};

constexpr std::array kRows = {
    Row{"phase", &phase},   Row{"retry", &retry},   Row{"version", &version}, Row{"state", &state}, Row{"pods", &pods},
    Row{"counts", &counts}, Row{"writes", &writes}, Row{"event", &event},     Row{"there", &there}, Row{"gone", &gone},
    Row{"names", &names},   Row{"count", &count},   Row{"refused", &refused}, Row{"field", &field}};

const Row* row_of(const ScriptWord& word) {
  if (word.quoted) return nullptr;
  const auto at = std::ranges::find(kRows, word.text, &Row::word);
  return at == kRows.end() ? nullptr : &*at;
}

}  // namespace

Result<std::vector<ExpectClause>> read_clauses(const lab::scenario::ScriptLine& line) {
  std::vector<ExpectClause> clauses;
  for (size_t at = 1; at < line.words.size(); ++at) {
    const Row* row = row_of(line.words[at]);
    if (row != nullptr) {
      clauses.push_back({.word = row->word, .words = {}});
    } else if (!clauses.empty()) {
      clauses.back().words.push_back(line.words[at]);
    } else {
      std::string known;
      for (const Row& one : kRows) fmt::format_to(std::back_inserter(known), " {}", one.word);
      return invalid(fmt::format("\"{}\" is nothing to expect; there are:{}", line.words[at].text, known));
    }
  }
  if (clauses.empty()) return invalid("nothing is expected; write for example: expect phase j1 Running");
  return clauses;
}

Result<ClauseResult> check_clause(const ExpectClause& clause, LifeInterpreter& interpreter) {
  if (clause.words.empty()) return invalid(fmt::format("\"{}\" of what? add a name or a value", clause.word));
  auto pair = std::ranges::find(kRows, clause.word, &Row::word)->look(clause.words, interpreter);
  if (!pair) return std::unexpected(pair.error());
  return ClauseResult{.holds = pair->expected == pair->actual,
                      .expected = fmt::format("{} {}", clause.word, pair->expected),
                      .actual = fmt::format("{} {}", clause.word, pair->actual)};
}

}  // namespace basalt::lab
