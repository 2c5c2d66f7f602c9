// Where a path leads inside a root directory: links are followed as a process with that root would follow them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace basalt::node {

inline constexpr size_t kMaxRootPathParts = 1000;
inline constexpr int kMaxRootPathLinks = 40;

struct RootPath {
  std::string path;      // absolute in the root, without links, "." and ".."
  std::string existing;  // its longest beginning that exists as a directory, or `path` itself when that exists
  bool exists = false;
  bool is_directory = false;
};

// An error: `path` is not absolute, has too many parts or links, or leads through a file. Cost: an lstat per part.
[[nodiscard]] Result<RootPath> resolve_in_root(const std::filesystem::path& root, std::string_view path);

}  // namespace basalt::node
