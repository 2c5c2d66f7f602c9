// Base64 (RFC 4648) with padding.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace basalt::text {

[[nodiscard]] std::string encode_base64(std::string_view bytes);
// Refuses characters outside the alphabet, wrong padding and stray bits; line ends are skipped, as in Go.
[[nodiscard]] Result<std::string> decode_base64(std::string_view text);

}  // namespace basalt::text
