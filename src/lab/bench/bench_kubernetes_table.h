// Results of `basalt bench kubernetes`: as text, as JSON, and many of them as one table beside Volcano's figures.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "lab/bench/bench_kubernetes_run.h"

namespace basalt::lab {

inline constexpr size_t kMaxTableBytes = size_t{16} * 1024 * 1024;

[[nodiscard]] std::string result_text(const KubeBenchOptions& bench, const KubeBenchResult& measured);
// One line.
[[nodiscard]] std::string result_json(const KubeBenchOptions& bench, const KubeBenchResult& measured);

// JSON lines of result_json → a Markdown table with a row for each load, medians of its runs with the label "ours",
// and below it the verdicts: within 1.2 times the time of the runs with the label "null", a tenth of Volcano's CPU and
// memory, p99 under 5 s, idle under 0.5 % of a core. Runs of a load that Volcano was not measured with have no verdict
// on that. An error names the line that cannot be read.
[[nodiscard]] Result<std::string> comparison(std::string_view results);
[[nodiscard]] Result<std::string> comparison_table(const std::string& file);  // of its text

}  // namespace basalt::lab
