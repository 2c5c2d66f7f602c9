// Cuts a text of the type language (type_language.h) into lines of words.
//
// A word ends at a blank, except inside quotes and brackets: `default={"a": 1}` is one word, and brackets may go on
// over several lines. A '#' where a word could start makes the rest of the line a comment. A '\' as the last word joins
// the next line to this one. Lines without words are left out. The words point into the text, which must outlive them.
// Cost: O(text).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace basalt::api {

inline constexpr size_t kMaxTypeTextBytes = size_t{1} * 1024 * 1024;
inline constexpr size_t kMaxWordDepth = 16;  // brackets within brackets

struct TypeLine {
  uint32_t number = 0;                  // from 1
  bool indented = false;                // belongs to the line above that is not
  std::vector<std::string_view> words;  // never empty
};

// Fails on a text that is too long, a quote or bracket that is not closed, and a byte that is no printable ASCII, blank
// or line end. The message starts with the line: "line 3: …".
[[nodiscard]] Result<std::vector<TypeLine>> type_lines(std::string_view text);

}  // namespace basalt::api
