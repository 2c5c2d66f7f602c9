// ASCII letters and blanks, independent of the locale.
#pragma once

#include <string>
#include <string_view>

namespace basalt {

inline constexpr std::string_view kBlanks = " \t\r\n\v\f";
inline constexpr std::string_view kLineBlanks = " \t";  // where a line's end means something

[[nodiscard]] constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

[[nodiscard]] inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower(c);
  return out;
}

// Without the blanks at both ends; a view into `text`.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = kBlanks) {
  const size_t first = text.find_first_not_of(blanks);
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace basalt
