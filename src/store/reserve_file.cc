#include "store/reserve_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace basalt::store {

ReserveFile::ReserveFile(const std::filesystem::path& store_file, size_t bytes) : path_(store_file), bytes_(bytes) {
  path_ += ".reserve";
}

int ReserveFile::hold() {
  if (held_ || bytes_ == 0) return 0;
  const int descriptor = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return errno;
  int error = ::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes_));
  if (error == 0 && ::ftruncate(descriptor, static_cast<off_t>(bytes_)) != 0) error = errno;  // it may have been larger
  ::close(descriptor);
  held_ = error == 0;
  if (error != 0) ::unlink(path_.c_str());
  return error;
}

void ReserveFile::release() {
  ::unlink(path_.c_str());
  held_ = false;
}

}  // namespace basalt::store
