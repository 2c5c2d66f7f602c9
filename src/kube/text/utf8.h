// UTF-8 validation and counting.
#pragma once

#include <cstddef>
#include <string_view>

namespace basalt::text {

// Overlong forms, surrogates and code points above U+10FFFF are refused. Cost: O(text).
[[nodiscard]] bool is_utf8(std::string_view text);

// Whether a byte of UTF-8 is the first of its character.
[[nodiscard]] constexpr bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

// Characters (code points) of UTF-8 text. Cost: O(text).
[[nodiscard]] size_t character_count(std::string_view text);

// The longest beginning of at most `most` bytes that does not end within a character. Requires: is_utf8.
[[nodiscard]] std::string_view utf8_prefix(std::string_view text, size_t most);

}  // namespace basalt::text
