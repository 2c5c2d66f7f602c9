#include "lab/scenario/scenario_script.h"

#include <algorithm>
#include <utility>

namespace basalt::lab::scenario {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Takes the word that starts at `at` and moves `at` behind it.
Result<ScriptWord> take_word(std::string_view text, size_t& at) {
  ScriptWord word;
  bool in_quotes = false;
  size_t equals = std::string::npos;
  for (; at < text.size() && (in_quotes || !is_blank(text[at])); ++at) {
    const char c = text[at];
    if (c == '"') {
      in_quotes = !in_quotes;
      word.quoted = true;
      continue;
    }
    if (c == '=' && !in_quotes && equals == std::string::npos) equals = word.text.size();
    word.text.push_back(c);
  }
  if (in_quotes) return invalid("a quote is not closed; add the missing \"");
  if (equals != std::string::npos) {
    word.has_value = true;
    word.key = word.text.substr(0, equals);
    word.value = word.text.substr(equals + 1);
    if (word.key.empty()) return invalid("\"" + word.text + "\" has no name before the =; write name=value");
  }
  return word;
}

Result<std::vector<ScriptWord>> split(std::string_view text) {
  std::vector<ScriptWord> words;
  for (size_t at = 0; at < text.size();) {
    if (is_blank(text[at])) {
      ++at;
      continue;
    }
    if (text[at] == '#') break;
    auto word = take_word(text, at);
    if (!word) return std::unexpected(word.error());
    words.push_back(std::move(*word));
  }
  return words;
}

std::string_view comment_of(std::string_view text) {
  const size_t first = text.find_first_not_of("# \t");
  return text.starts_with('#') && first != std::string_view::npos ? text.substr(first) : std::string_view();
}

// The next line of `content` from `at` on, without its end; moves `at` behind it.
std::string_view take_line(std::string_view content, size_t& at) {
  const size_t end = std::min(content.find('\n', at), content.size());
  std::string_view text = content.substr(at, end - at);
  at = end + 1;
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

// Takes the text below a line that ends in <<WORD.
Result<void> take_text(std::string_view content, size_t& at, ScriptLine& line, Script& script) {
  const std::string& last = line.words.back().text;
  if (line.words.size() < 2 || line.words.back().quoted || !last.starts_with("<<") || last.size() == 2) return {};
  const std::string end = last.substr(2);
  line.words.pop_back();
  line.has_text = true;
  while (at < content.size()) {
    const std::string_view text = take_line(content, at);
    script.text.emplace_back(text);
    if (text == end) return {};
    line.text += std::string(text) + "\n";
  }
  return invalid("the text below has no end; write a line that is only " + end);
}

}  // namespace

Error at_line(const Script& script, size_t number, const Error& error) {
  return error.within(script.path + ":" + std::to_string(number));
}

Result<Script> parse_script(std::string path, std::string_view content) {
  Script script{.path = std::move(path)};
  if (content.size() > kMaxScriptBytes) {
    return std::unexpected(
        Error{.message = "the file has more than " + std::to_string(kMaxScriptBytes) + " bytes; split it"}.within(
            script.path));
  }
  for (size_t at = 0; at < content.size();) {
    const std::string_view text = take_line(content, at);
    script.text.emplace_back(text);
    const size_t number = script.text.size();
    if (script.title.empty()) script.title = comment_of(text);
    for (const char c : text) {
      if (static_cast<unsigned char>(c) < ' ' && c != '\t') {
        return std::unexpected(at_line(script, number, Error{.message = "a control character; write plain text"}));
      }
    }
    auto words = split(text);
    if (!words) return std::unexpected(at_line(script, number, words.error()));
    if (words->empty()) continue;
    ScriptLine line{.number = number, .words = std::move(*words)};
    if (auto taken = take_text(content, at, line, script); !taken) {
      return std::unexpected(at_line(script, number, taken.error()));
    }
    script.lines.push_back(std::move(line));
  }
  if (script.title.empty()) script.title = script.path;
  return script;
}

}  // namespace basalt::lab::scenario
