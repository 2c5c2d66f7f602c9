#include "kube/text/read_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string_view>
#include <system_error>

namespace basalt::text {
namespace {

std::unexpected<Error> io_failure(std::string_view path, int reason) {
  const ErrorCode code = reason == ENOENT ? ErrorCode::NotFound : ErrorCode::Io;
  return failure(code, std::string(path) + ": cannot be read: " + std::generic_category().message(reason));
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

Result<std::string> read_file(const std::string& path, size_t max_bytes) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return io_failure(path, errno);
  std::string content;
  std::array<char, size_t{64} * 1024> block{};
  while (true) {
    const size_t got = std::fread(block.data(), 1, block.size(), file.get());
    if (got == 0) break;
    content.append(block.data(), got);
    if (content.size() > max_bytes) {
      return failure(ErrorCode::Invalid, path + ": longer than " + std::to_string(max_bytes) + " bytes: split it");
    }
  }
  if (std::ferror(file.get()) != 0) return io_failure(path, errno);
  return content;
}

}  // namespace basalt::text
