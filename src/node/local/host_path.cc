#include "node/local/host_path.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "api/go_text.h"
#include "node/local/safe_path.h"

namespace basalt::node {
namespace {

namespace fs = std::filesystem;

struct Type {
  std::string_view name, called;
  fs::file_type type;
  bool create = false;
};
constexpr Type kTypes[] = {
    {.name = "Directory", .called = "directory", .type = fs::file_type::directory},
    {.name = "DirectoryOrCreate", .called = "directory", .type = fs::file_type::directory, .create = true},
    {.name = "File", .called = "file", .type = fs::file_type::regular},
    {.name = "FileOrCreate", .called = "file", .type = fs::file_type::regular, .create = true},
    {.name = "Socket", .called = "socket file", .type = fs::file_type::socket},
    {.name = "CharDevice", .called = "character device", .type = fs::file_type::character},
    {.name = "BlockDevice", .called = "block device", .type = fs::file_type::block},
};

Result<void> create(const fs::path& path, const Type& type) {
  std::error_code error;
  if (type.type == fs::file_type::directory) {
    fs::create_directories(path, error);
    if (error) return failure(ErrorCode::Io, fmt::format("hostPath {}: {}", path.string(), error.message()));
    return {};
  }
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0)
    return failure(ErrorCode::Io, fmt::format("hostPath {}: {}", path.string(), std::strerror(errno)));
  close(descriptor);
  return {};
}

}  // namespace

Result<fs::path> check_host_path(std::string_view path, std::string_view type) {
  auto checked = absolute_path(path);
  if (!checked) return std::unexpected(checked.error().within("hostPath"));
  std::error_code error;
  fs::file_status status = fs::status(*checked, error);
  if (type.empty()) {
    if (fs::exists(status)) return checked;
    return failure(ErrorCode::NotFound,
                   fmt::format("hostPath {} does not exist on this node; make it, or give type: DirectoryOrCreate",
                               checked->string()));
  }
  for (const Type& known : kTypes) {
    if (known.name != type) continue;
    if (!fs::exists(status) && known.create) {
      if (auto made = create(*checked, known); !made) return std::unexpected(made.error());
      status = fs::status(*checked, error);
    }
    if (status.type() == known.type) return checked;
    return invalid(fmt::format("hostPath type check failed: {} is not a {}", checked->string(), known.called));
  }
  return invalid(fmt::format("{} is an invalid volume type", api::go_quote(type)));
}

}  // namespace basalt::node
