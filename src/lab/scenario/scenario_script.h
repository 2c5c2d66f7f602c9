// A scenario file as lines of words: the lexical half of the format (docs/guides/scenarios.md is the reference).
//
// Words are separated by blanks. A word may be key=value. Double quotes hold blanks together: reason="two words". A
// word that starts with # begins a comment. A line whose last word is <<WORD is followed by text as it stands, up to a
// line that is only WORD. Nothing here knows what the words mean.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace basalt::lab::scenario {

inline constexpr size_t kMaxScriptBytes = size_t{4} * 1024 * 1024;

struct ScriptWord {
  std::string text;        // without quotes
  std::string key, value;  // around the first '=' that is not in quotes; key is empty if there is none
  bool has_value = false;
  bool quoted = false;  // some of the text, or of the value, was in quotes
};

struct ScriptLine {
  size_t number = 0;              // from 1
  std::vector<ScriptWord> words;  // never empty; without <<WORD
  bool has_text = false;          // <<WORD stood at its end
  std::string text;               // the lines below it, each with its line end
};

struct Script {
  std::string path;
  std::string title;              // the first comment, or the path
  std::vector<std::string> text;  // every line as written, for --update
  std::vector<ScriptLine> lines;  // those that say something
};

// Errors name path and line.
[[nodiscard]] Result<Script> parse_script(std::string path, std::string_view content);

// "path:12: message": how every error about a line looks.
[[nodiscard]] Error at_line(const Script& script, size_t number, const Error& error);

}  // namespace basalt::lab::scenario
