// Reading a whole file, within a limit.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace basalt::text {

inline constexpr size_t kMaxFileBytes = size_t{256} * 1024 * 1024;

// The content of the file at `path`. Errors (code Io or NotFound) name the path. Reads at most max_bytes + 1 bytes, so
// an endless device is refused, not read forever.
[[nodiscard]] Result<std::string> read_file(const std::string& path, size_t max_bytes = kMaxFileBytes);

}  // namespace basalt::text
