#include "daemon/log_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "text/json.h"
#include "text/time.h"
#include "text/utf8.h"

namespace basalt::daemon {
namespace {

constexpr std::string_view kCut = "…";

bool is_control(char letter) { return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f; }

void append_escaped(std::string& out, char letter) {
  if (letter == '\n') {
    out += "\\n";
  } else if (letter == '\t') {
    out += "\\t";
  } else {
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(letter));
  }
}

// Bytes that are no UTF-8 as \xNN, so that what is left is text.
std::string made_text(std::string_view bytes) {
  std::string out;
  for (const char letter : bytes) {
    if (static_cast<unsigned char>(letter) < 0x80) {
      out += letter;
    } else {
      append_escaped(out, letter);
    }
  }
  return out;
}

// At most kMaxLineBytes, and UTF-8.
std::string cut_text(std::string_view message) {
  std::string_view head = message.substr(0, kMaxLineBytes);
  const bool cut = head.size() < message.size();
  // The cut may have gone through a character, which has at most 4 bytes.
  for (int back = 0; cut && back < 3 && !text::is_utf8(head); ++back) head.remove_suffix(1);
  std::string out = text::is_utf8(head) ? std::string(head) : made_text(head);
  if (cut) out += kCut;
  return out;
}

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
  const std::string shown = cut_text(message);
  if (format == LogFormat::Json) {
    std::string out = fmt::format(R"({{"ts":"{}","severity":"{}","component":)", time, word_of(severity));
    text::append_json_string(out, component);
    out += ",\"msg\":";
    text::append_json_string(out, shown);
    return out += "}\n";
  }
  std::string out = fmt::format("{} {} {}: ", time, letter_of(severity), component);
  if (std::ranges::none_of(shown, is_control)) return out += shown + "\n";
  for (const char letter : shown) {
    if (is_control(letter)) {
      append_escaped(out, letter);
    } else {
      out += letter;
    }
  }
  return out += "\n";
}

}  // namespace basalt::daemon
