// Percent-encoding for URLs (RFC 3986).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace basalt::client {

// Everything but letters, digits, '-', '.', '_' and '~' escaped: safe as a path segment and as a query value.
void append_percent_encoded(std::string& out, std::string_view text);

// nullopt: an escape that is none.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace basalt::client
