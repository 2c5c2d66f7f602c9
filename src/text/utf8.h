// Whether bytes are text.
#pragma once

#include <string_view>

namespace basalt::text {

// Overlong forms, surrogates and code points above U+10FFFF are refused. Cost: O(text).
[[nodiscard]] bool is_utf8(std::string_view text);

}  // namespace basalt::text
