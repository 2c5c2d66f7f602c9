// The string formats that a CRD's schema may ask for (`format: date-time`). Kubernetes ignores those it does not know.
#pragma once

#include <string_view>

namespace basalt::api {

// Whether `format` is checked at all. Dashes in its name do not matter.
[[nodiscard]] bool is_known_format(std::string_view format);

// Whether `text` is of the format; true for one that is not known. Cost: O(text).
[[nodiscard]] bool has_format(std::string_view format, std::string_view text);

}  // namespace basalt::api
