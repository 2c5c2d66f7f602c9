#include "control/node/local/hidden_paths.h"

#include <algorithm>
#include <sstream>
#include <system_error>

#include "kube/text/read_file.h"

namespace basalt::node {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxMountTable = size_t{64} * 1024 * 1024;

struct MountLine {
  std::string device, root, point;
};

// Blanks, tabs, line ends and backslashes stand as \040 and the like.
std::string unescaped(const std::string& text) {
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
        is_octal(text[i + 3])) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::vector<MountLine> parse(std::string_view table) {
  std::vector<MountLine> mounts;
  std::istringstream lines{std::string(table)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string id, parent;
    MountLine mount;
    if (!(words >> id >> parent >> mount.device >> mount.root >> mount.point)) continue;
    mount.root = unescaped(mount.root);
    mount.point = unescaped(mount.point);
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

bool is_or_lies_below(std::string_view path, std::string_view directory) {
  return path == directory || is_beneath(path, directory);
}

// `path` with `from` in front replaced by `to`. Requires: it is or lies below `from`.
std::string moved(std::string_view path, std::string_view from, std::string_view to) {
  if (from == "/") from = "";
  const std::string rest(path.substr(from.size()));
  if (to == "/" && !rest.empty()) return rest;
  return std::string(to) + (rest == "/" ? "" : rest);
}

// The mount that `path` lies in: of the longest mount points the last, which stands on the others.
const MountLine* mount_of(std::string_view path, const std::vector<MountLine>& mounts) {
  const MountLine* found = nullptr;
  for (const MountLine& mount : mounts) {
    if (!is_or_lies_below(path, mount.point)) continue;
    if (found == nullptr || mount.point.size() >= found->point.size()) found = &mount;
  }
  return found;
}

void add_paths(std::string_view place, const std::vector<MountLine>& mounts, std::vector<std::string>& out) {
  const MountLine* const own = mount_of(place, mounts);
  if (own == nullptr) return;
  const std::string within = moved(place, own->point, own->root);
  for (const MountLine& mount : mounts) {
    if (mount.device != own->device) continue;
    if (is_or_lies_below(within, mount.root)) {
      out.push_back(moved(within, mount.root, mount.point));
    } else if (is_beneath(mount.root, within)) {
      out.push_back(mount.point);  // a part of it
    }
  }
}

}  // namespace

bool is_beneath(std::string_view path, std::string_view directory) {
  if (directory == "/") return path != "/";
  return path.starts_with(directory) && path.size() > directory.size() && path[directory.size()] == '/';
}

std::vector<std::string> paths_of(std::string_view place, std::string_view mount_table) {
  const std::vector<MountLine> mounts = parse(mount_table);
  std::vector<std::string> paths = {std::string(place)};
  add_paths(place, mounts, paths);
  // What is mounted inside it is a file system of its own, which may be elsewhere too.
  for (const MountLine& mount : mounts) {
    if (is_beneath(mount.point, place)) add_paths(mount.point, mounts, paths);
  }
  std::ranges::sort(paths);
  const auto twice = std::ranges::unique(paths);
  paths.erase(twice.begin(), twice.end());
  return paths;
}

HiddenPaths HiddenPaths::find(std::span<const fs::path> places) {
  const std::string table = text::read_file("/proc/self/mountinfo", kMaxMountTable).value_or("");
  std::vector<std::string> all;
  for (const fs::path& place : places) {
    std::error_code error;
    const fs::path canonical = fs::canonical(place, error);
    if (error) continue;
    for (std::string& path : paths_of(canonical.string(), table)) {
      // One that another mount covers is not there to be seen, and cannot be covered again.
      if (fs::exists(path, error)) all.push_back(std::move(path));
    }
  }
  std::ranges::sort(all);
  HiddenPaths hidden;
  for (std::string& path : all) {
    if (!hidden.hold(path)) hidden.paths_.push_back(std::move(path));
  }
  return hidden;
}

bool HiddenPaths::hold(std::string_view path) const {
  return std::ranges::any_of(paths_, [&](const std::string& one) { return is_or_lies_below(path, one); });
}

}  // namespace basalt::node
