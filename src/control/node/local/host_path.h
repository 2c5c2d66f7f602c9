// A path of this machine that a pod asks for.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "control/node/local/hidden_paths.h"

namespace basalt::node {

// The path, without symbolic links, when it is there and of `type`: "" anything, Directory, File, Socket, CharDevice,
// BlockDevice; or DirectoryOrCreate and FileOrCreate, which make it (0755, 0644) with the directories of the former.
// Symbolic links are followed, and never once more: what comes out is what was looked at. An error says `hostPath type
// check failed: /x is not a directory`, or that it is, or lies in, what is hidden.
[[nodiscard]] Result<std::filesystem::path> check_host_path(std::string_view path, std::string_view type,
                                                            const HiddenPaths& hidden);

}  // namespace basalt::node
