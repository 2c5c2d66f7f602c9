// fsGroup: the group that owns what a volume holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "base/result.h"

namespace basalt::node {

inline constexpr size_t kMaxGroupDepth = 200;  // directories in each other; deeper is an error

// fsGroupChangePolicy.
enum class FsGroupChangePolicy : uint8_t { Always, OnRootMismatch };

// As a kubelet does it: every file and directory below `volume` gets the group, which may read and write it, and
// directories hand it on to what is made in them. OnRootMismatch: nothing when the volume's own directory is like that.
// Other pods may be changing the volume meanwhile: no link is followed, and what is gone is passed over.
// Cost: O(entries). Requires: root.
Result<void> apply_fs_group(const std::filesystem::path& volume, uint32_t group, FsGroupChangePolicy when);

}  // namespace basalt::node
