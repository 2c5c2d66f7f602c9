#include "server/store/reserve_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace basalt::store {

namespace {

constexpr size_t kLeastBytes = size_t{64} * 1024;

}  // namespace

ReserveFile::ReserveFile(const std::filesystem::path& store_file, size_t bytes) : path_(store_file), bytes_(bytes) {
  path_ += ".reserve";
}

int ReserveFile::hold() {
  if (held_ || bytes_ == 0) return 0;
  const int error = take(bytes_);
  held_ = error == 0;
  return error;
}

void ReserveFile::hold_some() {
  if (hold() == 0) return;
  for (size_t less = bytes_ / 2; less >= kLeastBytes && take(less) != 0;) less /= 2;
}

int ReserveFile::take(size_t bytes) const {
  const int descriptor = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return errno;
  const off_t before = ::lseek(descriptor, 0, SEEK_END);
  int error = ::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes));
  if (::ftruncate(descriptor, error == 0 ? static_cast<off_t>(bytes) : before) != 0 && error == 0) error = errno;
  ::close(descriptor);
  return error;
}

void ReserveFile::release() {
  ::unlink(path_.c_str());
  held_ = false;
}

}  // namespace basalt::store
