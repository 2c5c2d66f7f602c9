// A directory of files that are replaced all at once, as a kubelet lays out ConfigMaps and Secrets.
//
//   DIRECTORY/key       → ..data/key        what a container opens
//   DIRECTORY/..data    → ..version-7       changed by one rename
//   DIRECTORY/..version-7/key               the files
//
// A reader sees the files of one version, however many are open; who watches the directory sees ..data change.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"

namespace basalt::node {

inline constexpr size_t kMaxFilesInVolume = 20'000;
inline constexpr size_t kMaxVolumeBytes = size_t{64} * 1024 * 1024;

struct VolumeFile {
  std::string bytes;
  uint32_t mode = 0644;
  friend bool operator==(const VolumeFile&, const VolumeFile&) = default;
};
// By path below the directory, which may have directories in it. Requires: each path is one that relative_path()
// (safe_path.h) made, and does not begin with "..".
using VolumeFiles = std::map<std::string, VolumeFile, std::less<>>;

// Whether something changed; nothing is touched when all is as asked. The directory is made when it is not there.
// `group` owns the files and may read them; nullopt: leaves that as it is. A crash in between leaves the old version or
// the new one. Cost: O(bytes), also when nothing changed.
Result<bool> write_files(const std::filesystem::path& directory, const VolumeFiles& files,
                         std::optional<uint32_t> group);

}  // namespace basalt::node
