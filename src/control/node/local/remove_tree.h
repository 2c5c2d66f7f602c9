// Removing a directory and all in it, whatever somebody put there.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace basalt::node {

// Symbolic links are removed, not followed; directories that forbid it to their owner are opened up first. However deep
// the tree, at most some dozens of file descriptors are in use. Nothing there is fine. Cost: O(entries).
Result<void> remove_tree(const std::filesystem::path& directory);

}  // namespace basalt::node
