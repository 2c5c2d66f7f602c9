#include "kube/text/prometheus.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "base/check.h"

namespace basalt::text {

void append_label(std::string& labels, std::string_view name, std::string_view value) {
  if (!labels.empty()) labels += ',';
  labels += name;
  labels += "=\"";
  for (const char c : value) {
    switch (c) {
      case '\\':
        labels += "\\\\";
        break;
      case '"':
        labels += "\\\"";
        break;
      case '\n':
        labels += "\\n";
        break;
      default:
        labels += c;
    }
  }
  labels += '"';
}

std::string one_label(std::string_view name, std::string_view value) {
  std::string labels;
  append_label(labels, name, value);
  return labels;
}

void append_value(std::string& out, std::string_view name, std::string_view type, std::string_view help, double value) {
  append_family(out, name, type, help);
  append_series(out, name, "", value);
}

void append_family(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  fmt::format_to(std::back_inserter(out), "# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

void append_series(std::string& out, std::string_view name, std::string_view labels, double value) {
  out += name;
  if (!labels.empty()) {
    out += '{';
    out += labels;
    out += '}';
  }
  out += ' ';
  out += metric_number(value);
  out += '\n';
}

void append_histogram(std::string& out, std::string_view name, std::string_view labels, std::span<const double> bounds,
                      std::span<const uint64_t> counts, double sum) {
  check(counts.size() == bounds.size() + 1, "a histogram has one bucket above its bounds");
  const std::string_view comma = labels.empty() ? "" : ",";
  uint64_t total = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    total += counts[i];
    const std::string bound = i < bounds.size() ? metric_number(bounds[i]) : "+Inf";
    fmt::format_to(std::back_inserter(out), "{}_bucket{{{}{}le=\"{}\"}} {}\n", name, labels, comma, bound, total);
  }
  append_series(out, fmt::format("{}_sum", name), labels, sum);
  append_series(out, fmt::format("{}_count", name), labels, static_cast<double>(total));
}

std::string metric_number(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", number);
}

}  // namespace basalt::text
