#include "programs/cli/follow/text_wrap.h"

#include <algorithm>

#include "kube/text/utf8.h"

namespace basalt::cli::follow {
namespace {

constexpr size_t kNarrowestText = 8;  // columns besides the head; below that the head is not indented for

// The bytes of the first `columns` characters.
size_t bytes_of_columns(std::string_view text, size_t columns) {
  size_t at = 0;
  for (size_t seen = 0; at < text.size(); ++at) {
    if (text::begins_character(text[at]) && seen++ == columns) break;
  }
  return at;
}

// How much of `text` goes on a line: up to the last blank that fits, or a broken word.
size_t bytes_of_line(std::string_view text, size_t columns) {
  const size_t room = bytes_of_columns(text, columns);
  if (room == text.size()) return room;
  if (text[room] == ' ') return room;
  const size_t blank = text.substr(0, room).rfind(' ');
  return blank == std::string_view::npos || blank == 0 ? room : blank;
}

std::string_view without_blanks_before(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

}  // namespace

std::vector<std::string> wrapped_lines(std::string_view head, std::string_view text, size_t width, size_t most) {
  size_t indent = text::character_count(head);
  if (indent + kNarrowestText > width) {
    text = without_blanks_before(text);
    std::string whole = std::string(head) + std::string(text);
    return {whole.substr(0, bytes_of_columns(whole, width))};
  }
  const size_t room = width - indent;
  std::vector<std::string> lines;
  std::string before(head);
  do {
    size_t bytes = bytes_of_line(text, room);
    const bool last = lines.size() + 1 == most && bytes < text.size();
    if (last) bytes = bytes_of_columns(text, room - 1);
    lines.push_back(before + std::string(text.substr(0, bytes)) + (last ? "…" : ""));
    text = last ? std::string_view() : without_blanks_before(text.substr(bytes));
    before.assign(indent, ' ');
  } while (!text.empty());
  return lines;
}

}  // namespace basalt::cli::follow
