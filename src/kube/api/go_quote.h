// Text as Go prints it, for messages that must read like Kubernetes' own.
#pragma once

#include <string>
#include <string_view>

namespace basalt::api {

// `text` in double quotes as Go's %q: quotes, backslashes, control characters and broken UTF-8 escaped, the rest as it
// is. Cost: O(text).
[[nodiscard]] std::string go_quote(std::string_view text);

}  // namespace basalt::api
