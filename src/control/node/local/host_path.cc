#include "control/node/local/host_path.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <system_error>

#include "control/node/local/descriptor.h"
#include "control/node/local/open_beneath.h"
#include "control/node/local/safe_path.h"
#include "kube/api/go_quote.h"

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

std::unexpected<Error> io_error(const fs::path& path) {
  return failure(ErrorCode::Io, fmt::format("hostPath {}: {}", path.string(), std::strerror(errno)));
}

// `existing` has no links; `rest` is what is missing below it. Nothing that somebody puts there meanwhile is followed.
Result<void> create(const fs::path& existing, const fs::path& rest, const Type& type) {
  constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  const Descriptor root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  Descriptor at(root.is_open() ? open_beneath(root.get(), existing.relative_path().c_str(), O_PATH | O_DIRECTORY) : -1);
  if (!at.is_open()) return io_error(existing);
  const bool directory = type.type == fs::file_type::directory;
  for (auto part = rest.begin(); part != rest.end(); ++part) {
    if (!directory) {
      if (std::next(part) != rest.end()) {
        errno = ENOENT;
        return io_error(existing / rest);
      }
      const Descriptor file(
          ::openat(at.get(), part->c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
      if (!file.is_open()) return io_error(existing / rest);
      return {};
    }
    if (::mkdirat(at.get(), part->c_str(), 0755) != 0 && errno != EEXIST) return io_error(existing / rest);
    Descriptor next(::openat(at.get(), part->c_str(), kDirectory));
    if (!next.is_open()) return io_error(existing / rest);
    at = std::move(next);
  }
  return {};
}

// Without links, and how much of it is there.
struct Resolved {
  fs::path existing, rest;
  [[nodiscard]] fs::path whole() const { return rest.empty() ? existing : existing / rest; }
};

Result<Resolved> resolve(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(path, error);
  if (error) return failure(ErrorCode::Io, fmt::format("hostPath {}: {}", path.string(), error.message()));
  Resolved resolved{.existing = "/", .rest = {}};
  for (const fs::path& part : whole.relative_path()) {
    const bool there = resolved.rest.empty() && fs::exists(fs::symlink_status(resolved.existing / part, error));
    (there ? resolved.existing : resolved.rest) /= part;
  }
  return resolved;
}

}  // namespace

Result<fs::path> check_host_path(std::string_view path, std::string_view type, const HiddenPaths& hidden) {
  const auto checked = absolute_path(path);
  if (!checked) return std::unexpected(checked.error().within("hostPath"));
  auto resolved = resolve(*checked);
  if (!resolved) return std::unexpected(resolved.error());
  fs::path whole = resolved->whole();
  if (hidden.hold(whole.string())) {
    return failure(ErrorCode::Unsupported,
                   fmt::format("hostPath {}: the cluster keeps its own state there, which no pod may see; use another "
                               "path",
                               checked->string()));
  }
  std::error_code error;
  fs::file_status status = fs::symlink_status(whole, error);
  if (type.empty()) {
    if (fs::exists(status) && !fs::is_symlink(status)) return whole;  // a link is one that leads nowhere
    return failure(ErrorCode::NotFound,
                   fmt::format("hostPath {} does not exist on this node; make it, or give type: DirectoryOrCreate",
                               checked->string()));
  }
  for (const Type& known : kTypes) {
    if (known.name != type) continue;
    if (!fs::exists(status) && known.create) {
      if (auto made = create(resolved->existing, resolved->rest, known); !made) return std::unexpected(made.error());
      status = fs::symlink_status(whole, error);
    }
    if (status.type() == known.type) return whole;
    return invalid(fmt::format("hostPath type check failed: {} is not a {}", checked->string(), known.called));
  }
  return invalid(fmt::format("{} is an invalid volume type", api::go_quote(type)));
}

}  // namespace basalt::node
