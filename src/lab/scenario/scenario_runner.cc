#include "lab/scenario/scenario_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/core/cycle.h"
#include "lab/scenario/cycle_trace.h"
#include "lab/scenario/policy_lines.h"
#include "lab/scenario/scenario_cluster.h"
#include "lab/scenario/scenario_expectation.h"

namespace basalt::lab::scenario {

namespace {

constexpr uint64_t kSeed = 1;
constexpr size_t kMaxCycles = 10'000;

// A cycle with the expect lines below it.
struct Checked {
  size_t line = 0;
  std::vector<size_t> expect_lines;
  Expectation expected;
  ScenarioOutcome got;
};

class Player {
 public:
  Player(const Script& script, bool trace) : script_(script), trace_(trace) {}

  ScenarioResult run() {
    for (const ScriptLine& line : script_.lines) {
      if (auto done = step(line); !done) {
        played_.error = at_line(script_, line.number, done.error());
        break;
      }
    }
    if (!played_.error && checked_.empty()) {
      played_.error = Error{.message = "the scenario has no cycle; write a line \"cycle\""}.within(script_.path);
    }
    for (const Checked& one : checked_) {
      if (auto found = differences(one.expected, one.got); !found.empty()) {
        played_.failures.push_back({.line = one.line, .differences = std::move(found)});
      }
    }
    played_.cycles = checked_.size();
    rewrite();
    return std::move(played_);
  }

 private:
  Result<void> step(const ScriptLine& line) {
    const std::string& verb = line.words[0].text;
    if (verb == "cycle") return cycle(line);
    if (verb == "expect") {
      if (checked_.empty()) return invalid("nothing has happened yet; write \"cycle\" above");
      checked_.back().expect_lines.push_back(line.number);
      return read_expect(line, checked_.back().expected);
    }
    if (PolicyLines::knows(line)) return conf_.apply(line);
    return cluster_.apply(line);
  }

  Result<void> cycle(const ScriptLine& line) {
    if (line.words.size() > 1) return invalid("\"cycle\" stands alone; write one line per cycle");
    if (checked_.size() == kMaxCycles)
      return invalid("more than " + std::to_string(kMaxCycles) + " cycles; split the file");
    auto policy = policy::build_policy(conf_.spec());
    if (!policy) return std::unexpected(policy.error());
    Tracer tracer(cluster_, *policy);
    Rng rng(kSeed);
    if (trace_) played_.trace += tracer.before(checked_.size() + 1);
    const engine::CycleResult result =
        engine::run_cycle(cluster_.state(), *policy, cluster_.now(), rng, {.observer = trace_ ? &tracer : nullptr});
    const auto& earlier = checked_.empty() ? kNoReasons : checked_.back().got.reasons;
    ScenarioOutcome outcome = read_outcome(cluster_, result, earlier);
    if (trace_) played_.trace += tracer.after(result, outcome);
    checked_.push_back({.line = line.number, .expect_lines = {}, .expected = {}, .got = std::move(outcome)});
    cluster_.settle(result);
    if (const std::string damage = cluster_.state().verify(); !damage.empty()) {
      return invalid("the scheduler's own accounts disagree after this cycle (a defect in Basalt): " + damage);
    }
    return {};
  }

  // Lines of cycles that pass stay as they were written.
  void rewrite() {
    std::vector<ScriptEdit> changes;
    for (const Checked& one : checked_) {
      if (one.expected.given && differences(one.expected, one.got).empty()) continue;
      changes.push_back({.below = one.line, .dropped = one.expect_lines, .lines = rewritten(one.expected, one.got)});
    }
    played_.rewritten = rewritten_text(script_, changes);
  }

  static inline const std::map<std::string, std::string> kNoReasons;
  const Script& script_;
  const bool trace_;
  PolicyLines conf_;
  ScenarioCluster cluster_;
  std::vector<Checked> checked_;
  ScenarioResult played_;
};

}  // namespace

std::vector<std::string> rewritten_text(const Script& script, const std::vector<ScriptEdit>& changes) {
  std::map<size_t, std::vector<std::string>> below;  // by line: what follows it
  std::vector<size_t> dropped;
  for (const ScriptEdit& change : changes) {
    below[change.below] = change.lines;
    dropped.insert(dropped.end(), change.dropped.begin(), change.dropped.end());
  }
  std::vector<std::string> text;
  for (size_t number = 1; number <= script.text.size(); ++number) {
    if (std::find(dropped.begin(), dropped.end(), number) == dropped.end()) text.push_back(script.text[number - 1]);
    if (const auto at = below.find(number); at != below.end()) {
      text.insert(text.end(), at->second.begin(), at->second.end());
    }
  }
  return text;
}

ScenarioResult play(const Script& script, bool trace) { return Player(script, trace).run(); }

}  // namespace basalt::lab::scenario
