// The outcome of a replay against what a case expects.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lab/conformance/comparison.h"
#include "lab/conformance/recorded_case.h"
#include "lab/conformance/replay.h"

namespace basalt::lab {

// Every fact that must be equal: for a generated case all levels of expectTiebreakName, for a unit test all levels of
// observedTiebreakName and what the test itself asserted.
[[nodiscard]] Comparison compare_with_name_ties(const RecordedCase& recorded, std::span<const CycleOutcome> outcomes);

// Generated cases: kinds of facts that were recorded and that nobody here compares.
[[nodiscard]] std::vector<std::string> unknown_facts(const text::Value& root);

// Generated cases only: the facts that were the same in all of Volcano's random runs.
[[nodiscard]] Comparison compare_with_firm_facts(const RecordedCase& recorded, std::span<const CycleOutcome> outcomes);

}  // namespace basalt::lab
