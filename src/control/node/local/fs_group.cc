#include "control/node/local/fs_group.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "control/node/local/descriptor.h"
#include "control/node/local/open_beneath.h"
#include "control/node/local/open_directory.h"

namespace basalt::node {
namespace {

constexpr mode_t kGroupFileMode = S_IRGRP | S_IWGRP;
constexpr mode_t kGroupDirectoryMode = kGroupFileMode | S_IXGRP | S_ISGID;

mode_t wanted(const struct stat& found) {
  const mode_t more = S_ISDIR(found.st_mode) ? kGroupDirectoryMode : kGroupFileMode;
  return (found.st_mode | more) & 07777U;
}

bool is_given(const struct stat& found, gid_t group) {
  return found.st_gid == group && (found.st_mode & 07777U) == wanted(found);
}

// `place` has O_PATH and is no link. False: errno.
bool give(int place, const struct stat& found, gid_t group) {
  if (is_given(found, group)) return true;
  if (fchownat(place, "", static_cast<uid_t>(-1), group, AT_EMPTY_PATH) != 0) return false;
  // After the owner, whose change takes set-user-ID and set-group-ID away.
  return chmod(DescriptorPath(place).text, wanted(found)) == 0;
}

// False: errno.
bool give_all(int place, gid_t group, size_t depth) {  // NOLINT(misc-no-recursion): at most kMaxGroupDepth deep
  struct stat found{};
  if (fstat(place, &found) != 0) return false;
  if (S_ISLNK(found.st_mode)) return fchownat(place, "", static_cast<uid_t>(-1), group, AT_EMPTY_PATH) == 0;
  if (!S_ISDIR(found.st_mode)) return give(place, found, group);
  if (depth >= kMaxGroupDepth) {
    errno = ENAMETOOLONG;
    return false;
  }
  const int opened = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const OpenDirectory directory(opened < 0 ? nullptr : fdopendir(opened));
  if (directory == nullptr) {
    if (opened >= 0) close(opened);
    return false;
  }
  for (errno = 0; const dirent* entry = readdir(directory.get()); errno = 0) {
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
    const Descriptor child(openat(dirfd(directory.get()), entry->d_name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!child.is_open() && errno == ENOENT) continue;
    if (!child.is_open() || !give_all(child.get(), group, depth + 1)) return false;
  }
  // Last: a walk that was cut short is seen as such at the top.
  return errno == 0 && give(place, found, group);
}

}  // namespace

Result<void> apply_fs_group(const std::filesystem::path& volume, uint32_t group, FsGroupChangePolicy when) {
  const Descriptor top(open(volume.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat found{};
  const bool seen = top.is_open() && fstat(top.get(), &found) == 0;
  if (seen && when == FsGroupChangePolicy::OnRootMismatch && is_given(found, group)) return {};
  if (seen && give_all(top.get(), group, 0)) return {};
  return failure(ErrorCode::Io, fmt::format("fsGroup {} of {}: {}", group, volume.string(), std::strerror(errno)));
}

}  // namespace basalt::node
