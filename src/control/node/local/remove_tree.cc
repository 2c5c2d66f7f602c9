#include "control/node/local/remove_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "control/node/local/descriptor.h"
#include "control/node/local/open_beneath.h"
#include "control/node/local/open_directory.h"

namespace basalt::node {
namespace {

// Deeper directories are moved up to the top and removed from there: nesting costs neither stack nor descriptors.
constexpr int kMaxDepth = 32;
constexpr int kMaxNamesTried = 1'000;  // of those that stand at the top already

// By descriptor: a change of mode by name would follow a link that somebody put there meanwhile.
bool open_up(int at, const char* name) {
  const Descriptor place(openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return place.is_open() && chmod(DescriptorPath(place.get()).text, S_IRWXU) == 0;
}

OpenDirectory open_directory(int at, const char* name) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int descriptor = openat(at, name, kFlags);
  if (descriptor < 0 && errno == EACCES && open_up(at, name)) descriptor = openat(at, name, kFlags);
  if (descriptor < 0) return nullptr;
  struct stat found{};
  if (fstat(descriptor, &found) == 0 && (found.st_mode & S_IRWXU) != S_IRWXU) fchmod(descriptor, S_IRWXU);
  OpenDirectory directory(fdopendir(descriptor));
  if (directory == nullptr) close(descriptor);
  return directory;
}

class Remover {
 public:
  explicit Remover(int top) : top_(top) {}

  // Empties it; false: errno says why.
  bool empty(DIR* directory, int depth) {  // NOLINT(misc-no-recursion): at most kMaxDepth deep
    const int at = dirfd(directory);
    for (errno = 0; const dirent* entry = readdir(directory); errno = 0) {
      const char* name = entry->d_name;
      if (std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0) continue;
      if (unlinkat(at, name, 0) == 0) continue;
      if (errno != EISDIR && errno != EPERM && errno != ENOENT) return false;
      if (errno == ENOENT) continue;
      if (depth >= kMaxDepth) {
        if (!move_up(at, name)) return false;
        continue;
      }
      const OpenDirectory child = open_directory(at, name);
      if (child == nullptr || !empty(child.get(), depth + 1)) return false;
      if (unlinkat(at, name, AT_REMOVEDIR) != 0 && errno != ENOENT) return false;
    }
    return errno == 0;
  }
  [[nodiscard]] size_t moved() const { return moved_; }

 private:
  bool move_up(int at, const char* name) {
    for (int attempt = 0; attempt < kMaxNamesTried; ++attempt) {
      const std::string free = fmt::format("..deep-{}", moved_++);
      if (renameat(at, name, top_, free.c_str()) == 0) return true;
      if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR) return false;
    }
    return false;
  }

  int top_;
  size_t moved_ = 0;
};

}  // namespace

Result<void> remove_tree(const std::filesystem::path& directory) {
  const auto failed = [&] {
    return failure(ErrorCode::Io, fmt::format("remove {}: {}", directory.string(), std::strerror(errno)));
  };
  const OpenDirectory top = open_directory(AT_FDCWD, directory.c_str());
  if (top == nullptr) {
    if (errno == ENOENT) return {};
    return failed();
  }
  Remover remover(dirfd(top.get()));
  size_t before = 0;
  do {  // again while directories came up from the deep
    before = remover.moved();
    rewinddir(top.get());
    if (!remover.empty(top.get(), 0)) return failed();
  } while (remover.moved() != before);
  if (rmdir(directory.c_str()) != 0 && errno != ENOENT) return failed();
  return {};
}

}  // namespace basalt::node
