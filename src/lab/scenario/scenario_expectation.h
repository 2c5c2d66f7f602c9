// What a scenario expects of a cycle, and how that differs from what happened.
//
//   expect bind j1-0:n1 j1-1:n2      expect evict low-0      expect pipelined high-0:n1      expect ungate j1-0
//   expect phase j1 Running j2 Pending      expect reason j1 "part of the message"      expect refused j2
// Several may stand on one line. bind, evict, pipelined and ungate are complete: what is not named must not happen.
// phase, reason and refused speak only of the jobs (reason: or pods) that they name. `expect none`: nothing happens.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lab/scenario/scenario_outcome.h"
#include "lab/scenario/scenario_script.h"

namespace basalt::lab::scenario {

struct Expectation {
  bool given = false;                                          // some expect line stands below the cycle
  std::vector<std::string> binds, evicts, pipelined, ungated;  // ranges expanded, sorted
  std::vector<std::string> refused;
  bool names_refused = false;
  std::vector<std::pair<std::string, std::string>> phases;   // job, phase
  std::vector<std::pair<std::string, std::string>> reasons;  // job or pod, part of the message
};

// Adds what an expect line says.
[[nodiscard]] Result<void> read_expect(const ScriptLine& line, Expectation& out);

// One text per difference; none if all is as expected.
[[nodiscard]] std::vector<std::string> differences(const Expectation& expected, const ScenarioOutcome& got);

// The expect lines that would pass: the same kinds of facts about the same jobs.
[[nodiscard]] std::vector<std::string> rewritten(const Expectation& expected, const ScenarioOutcome& got);

}  // namespace basalt::lab::scenario
