#include "kube/text/document_path.h"

#include <algorithm>

#include "kube/text/utf8.h"

namespace basalt::text {
namespace {

bool is_plain_word(std::string_view key) {
  return !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

// The longest prefix of at most `limit` bytes that does not cut a UTF-8 sequence.
std::string_view cut(std::string_view text, size_t limit) {
  if (text.size() <= limit) return text;
  size_t end = limit;
  while (end > 0 && !begins_character(text[end])) --end;
  return text.substr(0, end);
}

void append_escaped(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += "\\x";
      out += kHex[byte >> 4U];
      out += kHex[byte & 0xFU];
    } else {
      out += c;
    }
  }
}

}  // namespace

void append_key(std::string& path, std::string_view key) {
  const std::string_view shown = cut(key, kMaxKeyInPath);
  if (is_plain_word(shown) && shown.size() == key.size()) {
    if (!path.empty()) path += '.';
    path += shown;
    return;
  }
  path += '[';
  append_escaped(path, shown);
  path += ']';
}

void append_index(std::string& path, size_t index) {
  path += '[';
  path += std::to_string(index);
  path += ']';
}

std::string element_path(std::string_view list, size_t index) {
  std::string path(list);
  append_index(path, index);
  return path;
}

std::string_view parent_path(std::string_view path) {
  const size_t step = path.ends_with(']') ? path.rfind('[') : path.rfind('.');
  return step == std::string_view::npos ? std::string_view() : path.substr(0, step);
}

std::string in_quotes(std::string_view text) {
  const std::string_view shown = cut(text, kMaxShownBytes);
  std::string out = "\"";
  append_escaped(out, shown);
  if (shown.size() < text.size()) out += "…";
  out += '"';
  return out;
}

}  // namespace basalt::text
