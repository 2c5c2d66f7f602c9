#include "control/node/local/atomic_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <set>
#include <string_view>
#include <system_error>
#include <vector>

#include "control/node/local/directory_names.h"
#include "control/node/local/remove_tree.h"
#include "kube/text/read_file.h"

namespace basalt::node {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kVersionPrefix = "..version-";
constexpr std::string_view kCurrent = "..data";
constexpr std::string_view kNext = "..data_tmp";

std::unexpected<Error> io_error(const fs::path& path, int error) {
  return failure(ErrorCode::Io, fmt::format("{}: {}", path.string(), std::strerror(error)));
}

std::string first_part(std::string_view path) { return std::string(path.substr(0, path.find('/'))); }

// The number of the version that counts; 0: none.
uint64_t current_version(const fs::path& directory) {
  std::error_code error;
  const std::string target = fs::read_symlink(directory / kCurrent, error).string();
  uint64_t number = 0;
  if (error || !target.starts_with(kVersionPrefix)) return 0;
  const char* end = target.data() + target.size();
  const auto [stop, wrong] = std::from_chars(target.data() + kVersionPrefix.size(), end, number);
  return wrong == std::errc() && stop == end ? number : 0;
}

fs::path version_path(const fs::path& directory, uint64_t number) {
  return directory / fmt::format("{}{}", kVersionPrefix, number);
}

uint32_t wanted_mode(const VolumeFile& file, std::optional<uint32_t> group) {
  return (file.mode & 0777U) | (group ? 0440U : 0U);
}

bool is_same(const fs::path& path, const VolumeFile& file, std::optional<uint32_t> group) {
  struct stat found{};
  if (lstat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return false;
  if ((found.st_mode & 0777U) != wanted_mode(file, group) || (group && found.st_gid != *group)) return false;
  if (static_cast<uint64_t>(found.st_size) != file.bytes.size()) return false;
  const auto bytes = text::read_file(path.string(), file.bytes.size());
  return bytes && *bytes == file.bytes;
}

// Whether the version holds these files and no others.
bool is_current(const fs::path& version, const VolumeFiles& files, std::optional<uint32_t> group) {
  std::error_code error;
  fs::recursive_directory_iterator at(version, error);
  size_t found = 0;
  while (!error && at != fs::recursive_directory_iterator()) {
    if (!at->is_directory(error)) ++found;
    at.increment(error);
  }
  if (error || found != files.size()) return false;
  return std::ranges::all_of(files, [&](const auto& one) { return is_same(version / one.first, one.second, group); });
}

Result<void> write_file(const fs::path& path, const VolumeFile& file, std::optional<uint32_t> group) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0) return io_error(path, errno);
  bool good = true;
  for (std::string_view rest = file.bytes; good && !rest.empty();) {
    const ssize_t wrote = write(descriptor, rest.data(), rest.size());
    good = wrote > 0 || (wrote < 0 && errno == EINTR);
    if (wrote > 0) rest.remove_prefix(static_cast<size_t>(wrote));
  }
  if (good && group) good = fchown(descriptor, static_cast<uid_t>(-1), *group) == 0;
  good = good && fchmod(descriptor, wanted_mode(file, group)) == 0;
  const int error = errno;
  close(descriptor);
  if (!good) return io_error(path, error);
  return {};
}

// mkdir -p below `top`, each with mode 0755 whatever the umask is.
Result<void> make_parents(const fs::path& top, const fs::path& below) {
  fs::path path = top;
  for (const fs::path& part : below.parent_path()) {
    path /= part;
    if (mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) return io_error(path, errno);
    chmod(path.c_str(), 0755);
  }
  return {};
}

Result<void> write_version(const fs::path& version, const VolumeFiles& files, std::optional<uint32_t> group) {
  if (auto removed = remove_tree(version); !removed) return removed;  // of a crash
  if (mkdir(version.c_str(), 0755) != 0) return io_error(version, errno);
  chmod(version.c_str(), 0755);
  for (const auto& [path, file] : files) {
    if (auto made = make_parents(version, path); !made) return made;
    if (auto written = write_file(version / path, file, group); !written) return written;
  }
  return {};
}

Result<void> link_to(const fs::path& link, const std::string& target) {
  std::error_code error;
  if (fs::read_symlink(link, error) == target && !error) return {};
  if (fs::is_directory(fs::symlink_status(link, error))) {
    if (auto removed = remove_tree(link); !removed) return removed;
  } else {
    fs::remove(link, error);
  }
  if (symlink(target.c_str(), link.c_str()) != 0) return io_error(link, errno);
  return {};
}

// The links that a container opens: one for each first part of a path, and no others.
Result<void> show(const fs::path& directory, const VolumeFiles& files) {
  std::set<std::string> shown;
  for (const auto& file : files) shown.insert(first_part(file.first));
  for (const std::string& name : shown) {
    if (auto linked = link_to(directory / name, fmt::format("{}/{}", kCurrent, name)); !linked) return linked;
  }
  for (const std::string& name : list_directory(directory)) {
    if (name.starts_with("..") || shown.contains(name)) continue;
    std::error_code error;
    if (fs::is_symlink(fs::symlink_status(directory / name, error))) fs::remove(directory / name, error);
  }
  return {};
}

}  // namespace

Result<bool> write_files(const fs::path& directory, const VolumeFiles& files, std::optional<uint32_t> group) {
  if (mkdir(directory.c_str(), 0755) != 0 && errno != EEXIST) return io_error(directory, errno);
  chmod(directory.c_str(), 0755);
  const uint64_t number = current_version(directory);
  if (number != 0 && is_current(version_path(directory, number), files, group)) {
    if (auto shown = show(directory, files); !shown) return std::unexpected(shown.error());
    return false;
  }
  const fs::path version = version_path(directory, number + 1);
  if (auto written = write_version(version, files, group); !written) return std::unexpected(written.error());
  if (auto linked = link_to(directory / kNext, version.filename().string()); !linked) {
    return std::unexpected(linked.error());
  }
  if (rename((directory / kNext).c_str(), (directory / kCurrent).c_str()) != 0) {
    return io_error(directory / kCurrent, errno);
  }
  if (auto shown = show(directory, files); !shown) return std::unexpected(shown.error());
  for (const std::string& name : list_directory(directory)) {
    if (name.starts_with(kVersionPrefix) && name != version.filename()) {
      if (auto removed = remove_tree(directory / name); !removed) return std::unexpected(removed.error());
    }
  }
  return true;
}

}  // namespace basalt::node
