#include "control/node/local/root_path.h"

#include <deque>
#include <system_error>

namespace basalt::node {
namespace {

void add_parts(std::deque<std::string>& parts, std::string_view path, bool in_front) {
  std::deque<std::string> found;
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    if (end > 0) found.emplace_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  parts.insert(in_front ? parts.begin() : parts.end(), found.begin(), found.end());
}

std::string joined(std::string_view path, std::string_view part) {
  return (path == "/" ? "" : std::string(path)) + "/" + std::string(part);
}

std::string above(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

}  // namespace

Result<RootPath> resolve_in_root(const std::filesystem::path& root, std::string_view path) {
  const std::string shown(path);
  if (!path.starts_with('/') || path.find('\0') != std::string_view::npos) {
    return invalid("the path \"" + shown + "\" must be absolute");
  }
  std::deque<std::string> parts;
  add_parts(parts, path, false);
  RootPath at{.path = "/", .existing = "/", .exists = true, .is_directory = true};
  int links = 0;
  while (!parts.empty()) {
    if (parts.size() > kMaxRootPathParts) return invalid("the path \"" + shown + "\" has too many parts");
    const std::string part = std::move(parts.front());
    parts.pop_front();
    if (part == ".") continue;
    if (part == "..") {
      at.path = above(at.path);
      // Back among what exists: the directory is met again as a directory.
      if (at.path.size() <= at.existing.size())
        at = {.path = at.path, .existing = at.path, .exists = true, .is_directory = true};
      continue;
    }
    if (at.exists && !at.is_directory) return invalid("the path \"" + shown + "\" leads through the file " + at.path);
    const std::string next = joined(at.path, part);
    std::error_code error;
    const auto found = std::filesystem::symlink_status(root.string() + next, error);
    if (at.exists && std::filesystem::is_symlink(found)) {
      if (++links > kMaxRootPathLinks) return invalid("the path \"" + shown + "\" has too many symbolic links");
      const std::string link = std::filesystem::read_symlink(root.string() + next, error).string();
      if (link.starts_with('/')) at = {.path = "/", .existing = "/", .exists = true, .is_directory = true};
      add_parts(parts, link, true);
      continue;
    }
    at.path = next;
    at.exists = at.exists && std::filesystem::exists(found);
    at.is_directory = at.exists && std::filesystem::is_directory(found);
    if (at.exists) at.existing = next;
  }
  return at;
}

}  // namespace basalt::node
