// Where on this machine a directory or file can be reached: at its own path, and wherever its file system, or a part of
// it, is mounted once more.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace basalt::node {

// Does `path` lie in `directory`, at any depth? Both without links and trailing slashes; "/" holds everything.
[[nodiscard]] bool is_beneath(std::string_view path, std::string_view directory);

// All paths of `place`, itself among them, by a mount table (the text of /proc/<pid>/mountinfo); also those of parts of
// it that are mounted elsewhere by themselves. Sorted. Pure; some may be covered by other mounts. Requires: a canonical
// path.
[[nodiscard]] std::vector<std::string> paths_of(std::string_view place, std::string_view mount_table);

class HiddenPaths {
 public:
  HiddenPaths() = default;
  // From the mounts as they are now. A place that does not exist is passed over. Cost: O(places × mounts).
  static HiddenPaths find(std::span<const std::filesystem::path> places);

  // Canonical paths of the host, sorted; none lies below another.
  [[nodiscard]] const std::vector<std::string>& paths() const { return paths_; }
  // Is `path` one of them or below one? Requires: a canonical path.
  [[nodiscard]] bool hold(std::string_view path) const;

 private:
  std::vector<std::string> paths_;
};

}  // namespace basalt::node
