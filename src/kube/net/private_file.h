// Files that only their owner may read: private keys, tokens, kubeconfigs.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace basalt::net {

inline constexpr size_t kMaxPrivateFileBytes = size_t{1} << 20U;

// The whole content or the old one, never a part, also after a crash: written beside, synced, renamed. Mode 0600.
Result<void> write_private_file(const std::filesystem::path& path, std::string_view content);

// The directory with mode 0700; its parents as usual. One that is there already must be the user's own and closed to
// all others; it is not changed. The message says which chmod helps.
Result<void> make_private_directory(const std::filesystem::path& path);

// Removes what write_private_file left beside `path` when its process was killed. Only while nobody writes there.
void remove_unfinished(const std::filesystem::path& path);

// Refuses a file that others can read or write; the message says which chmod helps. At most kMaxPrivateFileBytes.
Result<std::string> read_private_file(const std::filesystem::path& path);

}  // namespace basalt::net
