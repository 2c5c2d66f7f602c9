#include "kube/net/private_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace basalt::net {
namespace {

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(); }
  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  bool close() {
    const int descriptor = std::exchange(descriptor_, -1);
    return descriptor < 0 || ::close(descriptor) == 0;
  }

 private:
  int descriptor_;
};

// Requires: errno is still that of the call that failed.
std::unexpected<Error> refused(std::string_view what, const std::filesystem::path& path) {
  const int error = errno;
  return failure(error == ENOENT ? ErrorCode::NotFound : ErrorCode::Io,
                 std::string(what) + " " + path.string() + ": " + std::generic_category().message(error));
}

bool write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

std::filesystem::path directory_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

constexpr std::string_view kRandomEnd = "XXXXXX";  // as mkostemp wants it

std::string unfinished_prefix(const std::filesystem::path& path) { return "." + path.filename().string() + "."; }

}  // namespace

Result<void> write_private_file(const std::filesystem::path& path, std::string_view content) {
  std::string beside = (directory_of(path) / (unfinished_prefix(path) + std::string(kRandomEnd))).string();
  File file(::mkostemp(beside.data(), O_CLOEXEC));  // makes it with mode 0600
  if (!file.is_open()) return refused("write", path);
  const bool written = write_all(file.descriptor(), content) && ::fsync(file.descriptor()) == 0 && file.close() &&
                       ::rename(beside.c_str(), path.c_str()) == 0;
  if (!written) {
    auto error = refused("write", path);
    ::unlink(beside.c_str());
    return error;
  }
  const File directory(::open(directory_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.is_open() || ::fsync(directory.descriptor()) != 0) return refused("sync the directory of", path);
  return {};
}

Result<void> make_private_directory(const std::filesystem::path& path) {
  std::error_code error;
  if (const auto parent = directory_of(path); !std::filesystem::exists(parent, error)) {
    std::filesystem::create_directories(parent, error);
    if (error) return failure(ErrorCode::Io, "create " + parent.string() + ": " + error.message());
  }
  if (::mkdir(path.c_str(), S_IRWXU) == 0) return {};
  if (errno != EEXIST) return refused("create", path);
  const File directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!directory.is_open()) return refused("open", path);
  struct stat status{};
  if (::fstat(directory.descriptor(), &status) != 0) return refused("look at", path);
  if (status.st_uid != ::geteuid()) {
    return failure(ErrorCode::Io, path.string() + " belongs to another user: choose another directory");
  }
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return failure(ErrorCode::Io, path.string() + " is open to others than its owner: run chmod 700 " + path.string());
  }
  return {};
}

void remove_unfinished(const std::filesystem::path& path) {
  const std::string prefix = unfinished_prefix(path);
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory_of(path), error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(prefix) && name.size() == prefix.size() + kRandomEnd.size()) ::unlink(at->path().c_str());
  }
}

Result<std::string> read_private_file(const std::filesystem::path& path) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a FIFO must not hold us up
  if (!file.is_open()) return refused("read", path);
  struct stat status{};
  if (::fstat(file.descriptor(), &status) != 0) return refused("read", path);
  if (!S_ISREG(status.st_mode)) return failure(ErrorCode::Io, "read " + path.string() + ": it is not a regular file");
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return failure(ErrorCode::Io,
                   path.string() + " can be used by others than its owner, so its secret is not safe: run chmod 600 " +
                       path.string());
  }
  std::string content;
  std::array<char, 16384> chunk{};
  while (content.size() <= kMaxPrivateFileBytes) {
    const ssize_t got = ::read(file.descriptor(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refused("read", path);
    if (got == 0) return content;
    content.append(chunk.data(), static_cast<size_t>(got));
  }
  return failure(ErrorCode::Io, "read " + path.string() + ": it is larger than a key can be");
}

}  // namespace basalt::net
