// Numbers and booleans inside strings, read as Go's strconv reads them: annotations and plugin arguments rely on it.
//
// All of them take the whole text: blanks around it, an empty text, or a number out of range are errors.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace basalt::text {

[[nodiscard]] Result<bool> parse_bool(std::string_view text);      // 1 t T true True TRUE, 0 f F false False FALSE
[[nodiscard]] Result<int64_t> parse_int(std::string_view text);    // [+-] decimal digits (Atoi)
[[nodiscard]] Result<int32_t> parse_int32(std::string_view text);  // the same within 32 bits
[[nodiscard]] Result<double> parse_double(std::string_view text);  // [+-] decimal, with fraction and exponent; finite

}  // namespace basalt::text
