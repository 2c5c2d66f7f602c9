// Plays one scenario: lines in order, a cycle at each `cycle`, and what differs from the expectations.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/scenario/scenario_script.h"

namespace basalt::lab::scenario {

struct Failure {
  size_t line = 0;  // of the cycle, or of what else happened
  std::vector<std::string> differences;
};

struct ScenarioResult {
  std::optional<Error> error;  // the file could not be played to its end; the message names the line
  std::vector<Failure> failures;
  size_t cycles = 0;
  std::string trace;                   // empty unless asked for
  std::vector<std::string> rewritten;  // the file's lines, with the expectations of failing cycles replaced

  [[nodiscard]] bool passed() const { return !error && failures.empty(); }
};

[[nodiscard]] ScenarioResult play(const Script& script, bool trace);

// For --update: the lines `dropped` go, and `lines` stand below the line `below` (or where it stood).
struct ScriptEdit {
  size_t below = 0;
  std::vector<size_t> dropped;
  std::vector<std::string> lines;
};
[[nodiscard]] std::vector<std::string> rewritten_text(const Script& script, const std::vector<ScriptEdit>& changes);

// Another kind of scenario: its files say so by their first word.
struct ScenarioKind {
  std::string_view first_word, step;  // step: what its failures are about, "cycle"
  ScenarioResult (*play)(const Script& script, bool trace) = nullptr;
  // The same on a real API server; nullptr: this kind needs none.
  ScenarioResult (*play_at)(const Script& script, bool trace, const std::string& kubeconfig) = nullptr;
};

}  // namespace basalt::lab::scenario
