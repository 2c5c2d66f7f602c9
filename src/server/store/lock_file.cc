#include "server/store/lock_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "server/store/row_checksum.h"

namespace basalt::store {

namespace {

constexpr size_t kMarkBytes = 256;

// The pid stands first: who cannot get the lock reads it.
std::string mark_text(const LockFile::Mark& mark) {
  std::string text =
      fmt::format("pid {:<10} store {:016x} acknowledged {:020}", getpid(), mark.store, mark.acknowledged);
  return text + fmt::format(" checksum {:016x}\n", text_checksum(text));
}

struct Note {
  int pid = 0;
  LockFile::Mark mark;
};

Note read_note(int descriptor) {
  char text[kMarkBytes] = {};
  const ssize_t size = pread(descriptor, text, sizeof text - 1, 0);
  if (size <= 0) return {};
  Note note;
  unsigned long long store = 0, acknowledged = 0, checksum = 0;
  int covered = 0;
  const int fields = std::sscanf(text, "pid %9d store %16llx acknowledged %20llu%n checksum %16llx", &note.pid, &store,
                                 &acknowledged, &covered, &checksum);
  if (fields < 1) return {};
  if (fields == 4 && text_checksum({text, static_cast<size_t>(covered)}) == checksum) {
    note.mark = {.store = store, .acknowledged = acknowledged};
  }
  return note;
}

}  // namespace

std::filesystem::path LockFile::path_for(const std::filesystem::path& store_file) {
  std::filesystem::path path = store_file;
  path += ".lock";
  return path;
}

Result<LockFile> LockFile::acquire(const std::filesystem::path& store_file) {
  const std::filesystem::path path = path_for(store_file);
  LockFile lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (lock.descriptor_ < 0) {
    return failure(ErrorCode::Io, fmt::format("cannot open {}: {}", path.string(), std::strerror(errno)));
  }
  const bool locked = flock(lock.descriptor_, LOCK_EX | LOCK_NB) == 0;
  const int error = errno;
  const Note note = read_note(lock.descriptor_);
  if (!locked && error == EWOULDBLOCK) {
    return failure(ErrorCode::Io, fmt::format("{} is in use by another process{}: stop it first, or use another file",
                                              store_file.string(), note.pid > 0 ? fmt::format(" ({})", note.pid) : ""));
  }
  if (!locked) return failure(ErrorCode::Io, fmt::format("cannot lock {}: {}", path.string(), std::strerror(error)));
  lock.set_mark(note.mark);
  return lock;
}

LockFile::LockFile(LockFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)), mark_(other.mark_) {}

LockFile& LockFile::operator=(LockFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(mark_, other.mark_);
  return *this;
}

LockFile::~LockFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void LockFile::set_mark(const Mark& mark) {
  mark_ = mark;
  const std::string text = mark_text(mark);
  // A mark that could not be written proves less; the store is as good as before.
  [[maybe_unused]] const ssize_t written = pwrite(descriptor_, text.data(), text.size(), 0);
}

bool LockFile::is_in_place(const std::filesystem::path& store_file) const {
  struct stat ours{}, there{};
  return fstat(descriptor_, &ours) == 0 && stat(path_for(store_file).c_str(), &there) == 0 &&
         ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

}  // namespace basalt::store
