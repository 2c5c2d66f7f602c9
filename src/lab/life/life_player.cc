#include "lab/life/life_player.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "lab/life/in_memory_backend.h"
#include "lab/life/kubernetes_backend.h"
#include "lab/life/life_expect.h"
#include "lab/life/life_interpreter.h"
#include "lab/life/life_trace.h"

namespace basalt::lab {
namespace {

using lab::scenario::ScenarioResult;
using lab::scenario::Script;
using lab::scenario::ScriptLine;

constexpr int kMaxLooks = 25;  // each waits until the cluster is at rest

// What one line did, with the expect lines below it.
struct Step {
  size_t line = 0;
  std::vector<size_t> expect_lines;
  std::vector<std::string> actual;  // clauses that hold, one text per expect line
  std::vector<std::string> differences;
};

class Player {
 public:
  // With `crashes_after` the controllers crash before the write of that number.
  Player(const Script& script, bool trace, std::optional<size_t> crashes_after, std::unique_ptr<LifeBackend> backend)
      : script_(script),
        crashes_(crashes_after.has_value() || !backend->answers_at_once()),
        patience_(backend->answers_at_once() ? 0 : kMaxLooks),
        interpreter_(std::move(backend)) {
    if (crashes_after) interpreter_.cluster().controller_client().crash_after(*crashes_after);
    if (!trace) return;
    interpreter_.cluster().controller_client().on_write = [this](const api::Call& call) {
      played_.trace += trace_write(call);
    };
    trace_ = true;
  }

  ScenarioResult run() {
    for (size_t at = 1; at < script_.lines.size() && !played_.error; ++at) {
      const ScriptLine& line = script_.lines[at];
      const auto done = line.words[0].text == "expect" ? expect(line) : act(line);
      if (!done) played_.error = lab::scenario::at_line(script_, line.number, done.error());
    }
    close_step();
    rewrite();
    return std::move(played_);
  }

  [[nodiscard]] size_t writes() { return interpreter_.cluster().controller_client().writes(); }

 private:
  Result<void> act(const ScriptLine& line) {
    close_step();
    steps_.push_back({.line = line.number, .expect_lines = {}, .actual = {}, .differences = {}});
    if (trace_) played_.trace += trace_line(script_, line.number, interpreter_.cluster().now());
    auto done = interpreter_.apply(line);
    refusal_seen_ = interpreter_.refusal().empty();
    return done;
  }

  Result<void> expect(const ScriptLine& line) {
    if (steps_.empty()) return invalid("nothing has happened yet; write \"submit j1\" or the like above");
    const auto clauses = read_clauses(line);
    if (!clauses) return std::unexpected(clauses.error());
    Step& step = steps_.back();
    step.expect_lines.push_back(line.number);
    Look look;
    for (int looks = 0;; ++looks) {
      if (auto seen = this->look(*clauses, look); !seen) return seen;
      if (look.differences.empty() || looks >= patience_) break;
      if (auto settled = interpreter_.cluster().settle(); !settled) return settled;
    }
    step.differences.insert(step.differences.end(), look.differences.begin(), look.differences.end());
    step.actual.push_back(look.actual.substr(0, look.actual.size() - 2));
    return {};
  }

  struct Look {
    std::string actual;
    std::vector<std::string> differences;
  };
  Result<void> look(const std::vector<ExpectClause>& clauses, Look& out) {
    out = {.actual = "expect  ", .differences = {}};
    for (const ExpectClause& clause : clauses) {
      const auto fact = check_clause(clause, interpreter_);
      if (!fact) return std::unexpected(fact.error());
      refusal_seen_ = refusal_seen_ || clause.word == "refused";
      // A crash repeats writes, and forgets what was about to be told.
      const bool may_differ = crashes_ && (clause.word == "writes" || clause.word == "event");
      out.actual += fmt::format(" {}  ", fact->actual);
      if (fact->holds || may_differ) continue;
      out.differences.push_back(fmt::format("expected {}\ngot      {}", fact->expected, fact->actual));
    }
    return {};
  }

  // A refusal that nobody expected is a difference too.
  void close_step() {
    if (!steps_.empty() && !refusal_seen_) {
      steps_.back().differences.push_back(fmt::format("the server refused this: {}", interpreter_.refusal()));
      refusal_seen_ = true;
    }
  }

  void rewrite() {
    std::vector<lab::scenario::ScriptEdit> changes;
    for (const Step& step : steps_) {
      if (step.differences.empty()) continue;
      played_.failures.push_back({.line = step.line, .differences = step.differences});
      for (size_t at = 0; at < step.expect_lines.size(); ++at) {
        const size_t number = step.expect_lines[at];
        changes.push_back({.below = number, .dropped = {number}, .lines = {step.actual[at]}});
      }
    }
    played_.cycles = steps_.size();
    played_.rewritten = rewritten_text(script_, changes);
  }

  const Script& script_;
  const bool crashes_;
  const int patience_;  // how often an expectation that does not hold is looked at again
  bool trace_ = false;
  bool refusal_seen_ = true;
  LifeInterpreter interpreter_;
  std::vector<Step> steps_;
  ScenarioResult played_;
};

// Adds what differs when the controllers die before their write number `crashes_after`; false: they make no such write.
bool play_with_crash(const Script& script, size_t crashes_after, ScenarioResult& played) {
  Player player(script, false, crashes_after, std::make_unique<InMemoryBackend>());
  const ScenarioResult again = player.run();
  if (again.passed()) return player.writes() > crashes_after;
  played.failures.push_back(
      {.line = again.failures.empty() ? script.lines[0].number : again.failures[0].line,
       .differences = {fmt::format("this is with a crash of the controllers after {} writes", crashes_after)}});
  if (again.error) played.failures.back().differences.push_back(again.error->message);
  for (const auto& failure : again.failures) {
    for (const std::string& difference : failure.differences) {
      played.failures.back().differences.push_back(fmt::format("line {}: {}", failure.line, difference));
    }
  }
  return player.writes() > crashes_after;
}

}  // namespace

ScenarioResult play_life(const Script& script, bool trace) {
  const std::vector<lab::scenario::ScriptWord>& words = script.lines[0].words;
  const bool everywhere = words.size() == 2 && words[1].text == "crash-anywhere";
  if (words.size() > 1 && !everywhere) {
    ScenarioResult wrong;
    wrong.error = lab::scenario::at_line(script, script.lines[0].number,
                                         Error{.message = "write \"life\", or \"life crash-anywhere\""});
    return wrong;
  }
  ScenarioResult played = Player(script, trace, std::nullopt, std::make_unique<InMemoryBackend>()).run();
  if (played.cycles == 0 && !played.error) {
    played.error =
        Error{.message = "nothing happens in the scenario; write \"submit j1\" or the like"}.within(script.path);
  }
  if (!everywhere || !played.passed()) return played;
  for (size_t writes = 0; writes < kMaxCrashes && play_with_crash(script, writes, played); ++writes) {
  }
  return played;
}

ScenarioResult play_life_at(const Script& script, bool trace, const std::string& kubeconfig) {
  auto backend = KubernetesBackend::open(kubeconfig);
  if (!backend) {
    ScenarioResult wrong;
    wrong.error = backend.error().within(script.path);
    return wrong;
  }
  return Player(script, trace, std::nullopt, std::move(*backend)).run();
}

}  // namespace basalt::lab
