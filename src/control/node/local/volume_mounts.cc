#include "control/node/local/volume_mounts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "control/node/local/descriptor.h"
#include "control/node/local/open_beneath.h"
#include "control/node/local/safe_path.h"
#include "kube/api/go_quote.h"
#include "kube/api/views/container_view.h"

namespace basalt::node {
namespace {

namespace fs = std::filesystem;

// subPath, or subPathExpr with its variables put in; "": the whole volume.
Result<std::string> sub_path(api::VolumeMountView mount, const Variables& variables) {
  const std::string_view plain = mount.sub_path();
  const std::string_view expression = mount.sub_path_expr();
  if (!plain.empty() || expression.empty()) return std::string(plain);
  std::string missing;
  auto expanded = expand(expression, [&](std::string_view name) -> const std::string* {
    const auto found = variables.find(name);
    if (found != variables.end()) return &found->second;
    missing = name;
    return nullptr;
  });
  if (expanded && !missing.empty()) {
    return invalid(fmt::format("subPathExpr {}: there is no variable {}", api::go_quote(expression), missing));
  }
  return expanded;
}

// Makes the directories of `below` that are not there, as open to the container's user as the volume itself. They are
// opened one by one without following links: a process of the pod may be exchanging them for links right now.
Result<void> make_beneath(const fs::path& volume, const fs::path& below) {
  constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  const auto failed = [&] {
    return failure(ErrorCode::Io, fmt::format("subPath {}: {}", api::go_quote(below.string()), std::strerror(errno)));
  };
  Descriptor at(::open(volume.c_str(), kDirectory));
  struct stat found{};
  if (!at.is_open() || ::fstat(at.get(), &found) != 0) return failed();
  for (const fs::path& part : below) {
    const bool made = ::mkdirat(at.get(), part.c_str(), S_IRWXU) == 0;
    if (!made && errno != EEXIST) return failed();
    // A part that was there may be one that we cannot read: a place is enough to go on from.
    Descriptor next(made ? ::openat(at.get(), part.c_str(), kDirectory)
                         : open_beneath(at.get(), part.c_str(), O_PATH | O_DIRECTORY));
    if (!next.is_open()) return failed();
    if (made && ::fchmod(next.get(), found.st_mode & 07777U) != 0) return failed();
    at = std::move(next);
  }
  return {};
}

// The path of `below` in the volume, made when it is not there; "" for the whole volume.
Result<fs::path> path_in(const PodVolumes::Volume& volume, const std::string& below) {
  if (below.empty()) return fs::path();
  const auto relative = relative_path(below);
  if (!relative) return relative;
  auto path = resolve_beneath(volume.path, *relative);
  if (!path) return path;
  std::error_code error;
  if (path->empty() || fs::exists(fs::symlink_status(volume.path / *path, error))) return path;
  if (volume.from_objects) {
    return failure(ErrorCode::NotFound, fmt::format("subPath {} is not in the volume", api::go_quote(below)));
  }
  if (auto made = make_beneath(volume.path, *path); !made) return std::unexpected(made.error());
  return path;
}

Result<Mount> mount_of(api::VolumeMountView mount, const PodVolumes& volumes, const Variables& variables) {
  const std::string_view name = mount.name();
  const auto volume = volumes.by_name.find(name);
  if (volume == volumes.by_name.end()) return invalid(fmt::format("volume {} is not defined", api::go_quote(name)));

  const std::string_view given = mount.mount_path();
  const auto target = absolute_path(given.starts_with('/') ? std::string(given) : "/" + std::string(given));
  if (!target) return std::unexpected(target.error().within("mountPath"));
  if (!target->has_relative_path()) return invalid("mountPath: a volume cannot stand in place of \"/\"");

  const auto below = sub_path(mount, variables);
  if (!below) return std::unexpected(below.error());
  auto path = path_in(volume->second, *below);
  if (!path) return std::unexpected(path.error());
  return Mount{.source = volume->second.path,
               .below = std::move(*path),
               .target = target->string(),
               .read_only = volume->second.read_only || mount.read_only()};
}

}  // namespace

Result<std::vector<Mount>> volume_mounts_of(const text::Object& container, const PodVolumes& volumes,
                                            const Variables& variables) {
  std::vector<Mount> out;
  const auto list = api::ContainerView(container).volume_mounts();
  if (list.size() > kMaxMounts) return invalid(fmt::format("more than {} volumeMounts", kMaxMounts));
  for (const api::VolumeMountView mount : list) {
    auto made = mount_of(mount, volumes, variables);
    if (!made) {
      return std::unexpected(
          made.error().within(fmt::format("failed to prepare volumeMount {}", api::go_quote(mount.name()))));
    }
    out.push_back(std::move(*made));
  }
  return out;
}

}  // namespace basalt::node
