#include "kube/api/go_quote.h"

#include <fmt/format.h>

#include <cstddef>

namespace basalt::api {
namespace {

// Bytes of the UTF-8 character at the start of `text`, 0 when it is broken. Overlong forms count as broken by their
// first byte only: good enough for a message.
size_t character_bytes(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  size_t count = 0;
  if (byte(0) < 0x80) return 1;
  if (byte(0) >= 0xC2 && byte(0) < 0xE0) count = 2;
  if (byte(0) >= 0xE0 && byte(0) < 0xF0) count = 3;
  if (byte(0) >= 0xF0 && byte(0) < 0xF5) count = 4;
  if (count == 0 || text.size() < count) return 0;
  for (size_t i = 1; i < count; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  return count;
}

std::string_view short_escape(char character) {
  switch (character) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\a':
      return "\\a";
    case '\b':
      return "\\b";
    case '\f':
      return "\\f";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '\v':
      return "\\v";
    default:
      return "";
  }
}

}  // namespace

std::string go_quote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const size_t bytes = character_bytes(text);
    const auto first = static_cast<unsigned char>(text[0]);
    if (const std::string_view escape = short_escape(text[0]); !escape.empty()) {
      out += escape;
    } else if (bytes == 0 || first < 0x20 || first == 0x7F) {
      out += fmt::format("\\x{:02x}", first);
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return out + '"';
}

}  // namespace basalt::api
