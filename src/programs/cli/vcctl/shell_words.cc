#include "programs/cli/vcctl/shell_words.h"

#include <algorithm>

namespace basalt::cli::vcctl {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// The text of a quoted part that starts at `at` (behind the quote); `at` moves behind the closing quote.
Result<std::string> quoted_part(std::string_view text, size_t& at, char quote) {
  std::string part;
  for (; at < text.size(); ++at) {
    if (text[at] == quote) {
      ++at;
      return part;
    }
    if (text[at] == '\\' && quote == '"' && ++at == text.size()) break;
    part += text[at];
  }
  return invalid("EOF found when expecting closing quote");
}

Result<std::string> next_word(std::string_view text, size_t& at) {
  std::string word;
  while (at < text.size() && kBlanks.find(text[at]) == std::string_view::npos) {
    const char c = text[at++];
    if (c == '\'' || c == '"') {
      auto part = quoted_part(text, at, c);
      if (!part) return part;
      word += *part;
    } else if (c == '\\') {
      if (at == text.size()) return invalid("EOF found after escape character");
      word += text[at++];
    } else {
      word += c;
    }
  }
  return word;
}

}  // namespace

Result<std::vector<std::string>> split_shell_words(std::string_view text) {
  std::vector<std::string> words;
  for (size_t at = 0;;) {
    at = std::min(text.find_first_not_of(kBlanks, at), text.size());
    if (at == text.size()) return words;
    if (text[at] == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    auto word = next_word(text, at);
    if (!word) return std::unexpected(word.error());
    words.push_back(std::move(*word));
  }
}

}  // namespace basalt::cli::vcctl
