#include "programs/up/temporary_directory.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

namespace basalt::up {

Result<TemporaryDirectory> TemporaryDirectory::make() {
  std::error_code error;
  std::string pattern = (std::filesystem::temp_directory_path(error) / "basalt-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    return failure(ErrorCode::Io, "cannot make a directory " + pattern + ": " + std::strerror(errno));
  }
  return TemporaryDirectory(pattern);
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace basalt::up
