// What a life-cycle scenario expects after a line, and what is there instead.
//
//   expect phase j Running   retry j 1   version j 1   pods j worker-0:Running worker-1   counts j running=1 failed=1
//   expect writes 0   event j ExecuteAction "RestartJob"   gone job j   there service j   refused "part of the message"
//   expect names job a b   count pvc 1   state q1 Closed   field job j .status.minAvailable 2
// Several may stand on one line. pods, counts and names are complete: what is not named must not be there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lab/life/life_interpreter.h"
#include "lab/scenario/scenario_script.h"

namespace basalt::lab {

struct ExpectClause {
  std::string_view word;  // of the table of clauses
  std::vector<lab::scenario::ScriptWord> words;
};

struct ClauseResult {
  bool holds = true;
  std::string expected, actual;  // as clauses; `actual` would hold
};

// The clauses of an expect line, or what is wrong with it.
[[nodiscard]] Result<std::vector<ExpectClause>> read_clauses(const lab::scenario::ScriptLine& line);

// Looks at the cluster as it is now. An error: a clause has too few words or the like.
[[nodiscard]] Result<ClauseResult> check_clause(const ExpectClause& clause, LifeInterpreter& interpreter);

}  // namespace basalt::lab
