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

// The path in `directory` that `below` leads to, with symbolic links followed: relative and without links, "" for the
// directory itself. An error: a link leads out of it or nowhere. What is not there is left as it is.
// It is true of one moment. Somebody who changes links at the same time makes it a wrong path, so what opens it must
// not follow links (open_beneath.h): then a wrong path is an error, never a way out.
[[nodiscard]] Result<std::filesystem::path> resolve_beneath(const std::filesystem::path& directory,
                                                            const std::filesystem::path& below);

}  // namespace basalt::node
