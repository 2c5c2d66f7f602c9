#include "lab/life/life_player.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "lab/life/kube_ground.h"
#include "lab/life/life_expect.h"
#include "lab/life/life_stage.h"
#include "lab/life/life_trace.h"
#include "lab/life/memory_ground.h"

namespace basalt::lab {
namespace {

using lab::scenario::Line;
using lab::scenario::Played;
using lab::scenario::Script;

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
  // With `dies_after` the controllers crash before the write of that number.
  Player(const Script& script, bool trace, std::optional<size_t> dies_after, std::unique_ptr<LifeGround> ground)
      : script_(script),
        crashes_(dies_after.has_value() || !ground->answers_at_once()),
        patience_(ground->answers_at_once() ? 0 : kMaxLooks),
        stage_(std::move(ground)) {
    if (dies_after) stage_.world().controller_client().die_after(*dies_after);
    if (!trace) return;
    stage_.world().controller_client().on_write = [this](const api::Call& call) { played_.trace += told_write(call); };
    trace_ = true;
  }

  Played run() {
    for (size_t at = 1; at < script_.lines.size() && !played_.error; ++at) {
      const Line& line = script_.lines[at];
      const auto done = line.words[0].text == "expect" ? expect(line) : act(line);
      if (!done) played_.error = lab::scenario::at_line(script_, line.number, done.error());
    }
    close_step();
    rewrite();
    return std::move(played_);
  }

  [[nodiscard]] size_t writes() { return stage_.world().controller_client().writes(); }

 private:
  Result<void> act(const Line& line) {
    close_step();
    steps_.push_back({.line = line.number, .expect_lines = {}, .actual = {}, .differences = {}});
    if (trace_) played_.trace += told_line(script_, line.number, stage_.world().now());
    auto done = stage_.apply(line);
    refusal_seen_ = stage_.refusal().empty();
    return done;
  }

  Result<void> expect(const Line& line) {
    if (steps_.empty()) return invalid("nothing has happened yet; write \"submit j1\" or the like above");
    const auto clauses = read_clauses(line);
    if (!clauses) return std::unexpected(clauses.error());
    Step& step = steps_.back();
    step.expect_lines.push_back(line.number);
    Look look;
    for (int looks = 0;; ++looks) {
      if (auto seen = this->look(*clauses, look); !seen) return seen;
      if (look.differences.empty() || looks >= patience_) break;
      if (auto settled = stage_.world().settle(); !settled) return settled;
    }
    step.differences.insert(step.differences.end(), look.differences.begin(), look.differences.end());
    step.actual.push_back(look.actual.substr(0, look.actual.size() - 2));
    return {};
  }

  struct Look {
    std::string actual;
    std::vector<std::string> differences;
  };
  Result<void> look(const std::vector<LifeClause>& clauses, Look& out) {
    out = {.actual = "expect  ", .differences = {}};
    for (const LifeClause& clause : clauses) {
      const auto fact = check_clause(clause, stage_);
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
      steps_.back().differences.push_back(fmt::format("the server refused this: {}", stage_.refusal()));
      refusal_seen_ = true;
    }
  }

  void rewrite() {
    std::vector<lab::scenario::Rewriting> changes;
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
  LifeStage stage_;
  std::vector<Step> steps_;
  Played played_;
};

// Adds what differs when the controllers die before their write number `dies_after`; false: they make no such write.
bool play_with_crash(const Script& script, size_t dies_after, Played& played) {
  Player player(script, false, dies_after, std::make_unique<MemoryGround>());
  const Played again = player.run();
  if (again.passed()) return player.writes() > dies_after;
  played.failures.push_back(
      {.line = again.failures.empty() ? script.lines[0].number : again.failures[0].line,
       .differences = {fmt::format("this is with a crash of the controllers after {} writes", dies_after)}});
  if (again.error) played.failures.back().differences.push_back(again.error->message);
  for (const auto& failure : again.failures) {
    for (const std::string& difference : failure.differences) {
      played.failures.back().differences.push_back(fmt::format("line {}: {}", failure.line, difference));
    }
  }
  return player.writes() > dies_after;
}

}  // namespace

Played play_life(const Script& script, bool trace) {
  const std::vector<lab::scenario::Word>& words = script.lines[0].words;
  const bool everywhere = words.size() == 2 && words[1].text == "crash-anywhere";
  if (words.size() > 1 && !everywhere) {
    Played wrong;
    wrong.error = lab::scenario::at_line(script, script.lines[0].number,
                                         Error{.message = "write \"life\", or \"life crash-anywhere\""});
    return wrong;
  }
  Played played = Player(script, trace, std::nullopt, std::make_unique<MemoryGround>()).run();
  if (played.cycles == 0 && !played.error) {
    played.error =
        Error{.message = "nothing happens in the scenario; write \"submit j1\" or the like"}.within(script.path);
  }
  if (!everywhere || !played.passed()) return played;
  for (size_t writes = 0; writes < kMaxCrashes && play_with_crash(script, writes, played); ++writes) {
  }
  return played;
}

Played play_life_at(const Script& script, bool trace, const std::string& kubeconfig) {
  auto ground = KubeGround::open(kubeconfig);
  if (!ground) {
    Played wrong;
    wrong.error = ground.error().within(script.path);
    return wrong;
  }
  return Player(script, trace, std::nullopt, std::move(*ground)).run();
}

}  // namespace basalt::lab
