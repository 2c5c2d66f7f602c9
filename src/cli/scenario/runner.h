// Plays one scenario: lines in order, a cycle at each `cycle`, and what differs from the expectations.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/scenario/script.h"

namespace basalt::cli::scenario {

struct Failure {
  size_t line = 0;  // of the cycle
  std::vector<std::string> differences;
};

struct Played {
  std::optional<Error> error;  // the file could not be played to its end; the message names the line
  std::vector<Failure> failures;
  size_t cycles = 0;
  std::string trace;                   // empty unless asked for
  std::vector<std::string> rewritten;  // the file's lines, with the expectations of failing cycles replaced

  [[nodiscard]] bool passed() const { return !error && failures.empty(); }
};

[[nodiscard]] Played play(const Script& script, bool trace);

}  // namespace basalt::cli::scenario
