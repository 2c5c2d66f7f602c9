#include "programs/daemon/log_line.h"

#include <fmt/format.h>

#include "kube/text/json.h"
#include "kube/text/log_text.h"
#include "kube/text/rfc3339.h"

namespace basalt::daemon {
namespace {

std::string_view word_of(Severity severity) {
  return severity == Severity::Info ? "info" : severity == Severity::Warning ? "warning" : "error";
}

char letter_of(Severity severity) {
  return severity == Severity::Info ? 'I' : severity == Severity::Warning ? 'W' : 'E';
}

}  // namespace

std::string log_line(LogFormat format, Instant at, Severity severity, std::string_view component,
                     std::string_view message) {
  const std::string time = text::format_micro_time(at);
  if (format == LogFormat::Text) {
    const std::string shown = text::log_text(message, kMaxLineBytes);
    return fmt::format("{} {} {}: {}\n", time, letter_of(severity), component, shown);
  }
  std::string out = fmt::format(R"({{"ts":"{}","severity":"{}","component":)", time, word_of(severity));
  text::append_json_string(out, component);
  out += ",\"msg\":";
  text::append_json_string(out, text::cut_text(message, kMaxLineBytes));  // JSON escapes the rest in its own way
  return out += "}\n";
}

}  // namespace basalt::daemon
