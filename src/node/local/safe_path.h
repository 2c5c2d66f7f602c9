// Paths that come from objects, made harmless.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace basalt::node {

inline constexpr size_t kMaxPathBytes = 4'000;  // Linux takes 4,095, and ours stand before them
inline constexpr size_t kMaxPathPartBytes = 255;

// Letters, digits, '-', '_' and '.', neither "." nor "..", of at most kMaxPathPartBytes: usable as a file name as it
// is.
[[nodiscard]] bool is_plain_word(std::string_view word);

// A path below some directory, with "." and doubled slashes taken out. An error: it is empty or absolute, it has a
// part "..", a zero byte, or is too long. The message begins with the path.
[[nodiscard]] Result<std::filesystem::path> relative_path(std::string_view text);
// Likewise an absolute one.
[[nodiscard]] Result<std::filesystem::path> absolute_path(std::string_view text);

// `below` within `directory`, with symbolic links followed: an error when they lead out of it. What is not there is
// left as it is. Somebody who changes links at the same time can still lead astray: it guards against what is there.
[[nodiscard]] Result<std::filesystem::path> resolve_beneath(const std::filesystem::path& directory,
                                                            const std::filesystem::path& below);

}  // namespace basalt::node
