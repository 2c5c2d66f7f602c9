// The pieces of Prometheus' text format, and the families that need no counting: store, process, build.
#pragma once

#include <string>
#include <string_view>

#include "server/metrics.h"

namespace basalt::server {

// `name="value"`, escaped, after a comma when `labels` is not empty.
void append_label(std::string& labels, std::string_view name, std::string_view value);
// The HELP and TYPE lines. `type`: counter, gauge, histogram.
void append_family(std::string& out, std::string_view name, std::string_view type, std::string_view help);
// Whole numbers without a fraction, others as the shortest text that reads back; +Inf -Inf NaN.
[[nodiscard]] std::string number_text(double number);

void append_store(std::string& out, const MetricsSample& sample);
// Memory, CPU time and descriptors of this process; what the system does not tell is left out.
void append_process(std::string& out, double start_seconds, std::string_view version);

}  // namespace basalt::server
