// The pieces of Prometheus' text format (0.0.4). A family is its head, then its series:
//
//   append_family(out, "pods_total", "counter", "Pods by node.");
//   append_series(out, "pods_total", R"(node="a")", 3);
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace basalt::text {

// `name="value"`, escaped, after a comma when `labels` is not empty.
void append_label(std::string& labels, std::string_view name, std::string_view value);
// The same as the only one.
[[nodiscard]] std::string one_label(std::string_view name, std::string_view value);
// The HELP and TYPE lines. `type`: counter, gauge, histogram.
void append_family(std::string& out, std::string_view name, std::string_view type, std::string_view help);
// One line; `labels` as append_label makes them, "" for none.
void append_series(std::string& out, std::string_view name, std::string_view labels, double value);
// A family of one series without labels.
void append_value(std::string& out, std::string_view name, std::string_view type, std::string_view help, double value);
// The lines of one histogram. `counts`: how many fell into each bucket, not summed up; one more than bounds, the last
// for what is above all of them.
void append_histogram(std::string& out, std::string_view name, std::string_view labels, std::span<const double> bounds,
                      std::span<const uint64_t> counts, double sum);
// Whole numbers without a fraction, others as the shortest text that reads back; +Inf -Inf NaN.
[[nodiscard]] std::string metric_number(double number);

}  // namespace basalt::text
