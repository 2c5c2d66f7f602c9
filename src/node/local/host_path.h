// A path of this machine that a pod asks for.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace basalt::node {

// The path when it is there and of `type`: "" anything, Directory, File, Socket, CharDevice, BlockDevice; or
// DirectoryOrCreate and FileOrCreate, which make it (0755, 0644) with the directories of the former. Symbolic links are
// followed. An error says `hostPath type check failed: /x is not a directory`.
[[nodiscard]] Result<std::filesystem::path> check_host_path(std::string_view path, std::string_view type);

}  // namespace basalt::node
