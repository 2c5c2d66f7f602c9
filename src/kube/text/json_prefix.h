// The beginning of a value's JSON text, for messages and tables that show a value of any size.
#pragma once

#include <cstddef>
#include <string>

#include "kube/text/json.h"

namespace basalt::text {

// to_json(value) when that has at most `max_bytes`; else so many bytes of it, or a few less, and "...". No UTF-8
// sequence is cut. Cost: O(max_bytes), however large the value is.
[[nodiscard]] std::string json_prefix(const Value& value, size_t max_bytes);

}  // namespace basalt::text
