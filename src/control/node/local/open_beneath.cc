#include "control/node/local/open_beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "control/node/local/safe_path.h"

namespace basalt::node {
namespace {

constexpr int kMaxBusyTries = 16;  // EAGAIN: something was renamed under openat2

int refuse(int error) {
  errno = error;
  return -1;
}

// Takes the first part off `path` into `part`. 0, or an errno.
int take_part(const char*& path, char (&part)[kMaxPathPartBytes + 1]) {
  const char* const slash = std::strchr(path, '/');
  const size_t size = slash == nullptr ? std::strlen(path) : static_cast<size_t>(slash - path);
  if (size > kMaxPathPartBytes) return ENAMETOOLONG;
  std::memcpy(part, path, size);
  part[size] = '\0';
  path += size + (slash == nullptr ? 0 : 1);
  return std::strcmp(part, "..") == 0 ? EXDEV : 0;
}

// One part, not followed when it is a link.
int open_part(int directory, const char* part, int flags) {
  const int opened = ::openat(directory, part, flags | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0 || (flags & O_PATH) == 0) return opened;
  struct stat found{};  // O_PATH opens a link itself
  if (::fstat(opened, &found) == 0 && !S_ISLNK(found.st_mode)) return opened;
  ::close(opened);
  return refuse(ELOOP);
}

}  // namespace

int open_beneath_by_parts(int directory, const char* path, int flags) {
  if (*path == '/') return refuse(EXDEV);
  int at = ::fcntl(directory, F_DUPFD_CLOEXEC, 0);
  while (at >= 0) {
    while (*path == '/') ++path;
    char part[kMaxPathPartBytes + 1];
    if (const int error = take_part(path, part); error != 0) {
      ::close(at);
      return refuse(error);
    }
    const char* rest = path;
    while (*rest == '/') ++rest;
    const bool last = *rest == '\0';
    const int next = open_part(at, *part == '\0' ? "." : part, last ? flags : O_PATH | O_DIRECTORY);
    const int error = errno;
    ::close(at);
    errno = error;
    if (last || next < 0) return next;
    at = next;
  }
  return at;
}

int open_beneath(int directory, const char* path, int flags) {
  if (*path == '\0') path = ".";
  open_how how{};
  how.flags = static_cast<unsigned>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  long opened = -1;
  for (int attempt = 0; attempt < kMaxBusyTries; ++attempt) {
    opened = ::syscall(SYS_openat2, directory, path, &how, sizeof how);
    if (opened >= 0 || errno != EAGAIN) break;
  }
  // A filter of system calls that does not know it answers EPERM.
  if (opened < 0 && (errno == ENOSYS || errno == EPERM)) return open_beneath_by_parts(directory, path, flags);
  return static_cast<int>(opened);
}

int open_parent_beneath(int directory, const char* path, const char*& last) {
  const char* const slash = std::strrchr(path, '/');
  last = slash == nullptr ? path : slash + 1;
  if (slash == path) return refuse(EXDEV);
  if (*last == '\0' || std::strcmp(last, ".") == 0 || std::strcmp(last, "..") == 0) return refuse(EXDEV);
  char parent[kMaxPathBytes + 1];
  const size_t size = slash == nullptr ? 0 : static_cast<size_t>(slash - path);
  if (size > kMaxPathBytes) return refuse(ENAMETOOLONG);
  std::memcpy(parent, path, size);
  parent[size] = '\0';
  return open_beneath(directory, parent, O_PATH | O_DIRECTORY);
}

DescriptorPath::DescriptorPath(int descriptor) {
  constexpr char kPrefix[] = "/proc/self/fd/";
  std::memcpy(text, kPrefix, sizeof kPrefix);
  char digits[16];
  size_t count = 0;
  for (unsigned rest = static_cast<unsigned>(descriptor); count == 0 || rest > 0; rest /= 10) {
    digits[count++] = static_cast<char>('0' + rest % 10);
  }
  char* out = text + sizeof kPrefix - 1;
  while (count > 0) *out++ = digits[--count];
  *out = '\0';
}

}  // namespace basalt::node
