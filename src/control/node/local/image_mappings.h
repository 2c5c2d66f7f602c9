// What an image name means on a node without images: a root directory, a command prefix, or nothing.
//
// A YAML file, the first entry that matches wins:
//
//   images:                                  # or the list alone
//   - image: docker.io/pytorch/pytorch:*     # * stands for any text, also for "/" and ":"
//     root: /srv/images/pytorch              # the container's "/"
//     entrypoint: [python3]                  # where the container gives no command
//     cmd: [--version]                       # where the container gives neither command nor args
//     env: {LD_LIBRARY_PATH: /opt/cuda/lib}  # where the container does not set the variable
//     workingDir: /workspace                 # where the container gives none
//   - image: "*/mpi:*"
//     prefix: [apptainer, exec, /srv/mpi.sif]
//
// An image without an entry runs its command on the host. Names are compared as they are written in the pod, and then
// without the ":latest" or the "docker.io/", "docker.io/library/" that Kubernetes would have added.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace basalt::node {

inline constexpr size_t kMaxImageEntries = 10'000;
inline constexpr size_t kMaxImagesFileBytes = size_t{4} * 1024 * 1024;

struct ImageMapping {
  std::string pattern;
  std::optional<std::filesystem::path> root;  // one of root and prefix, or neither: the host
  std::vector<std::string> prefix;
  std::vector<std::string> entrypoint, cmd;
  std::map<std::string, std::string> environment;
  std::string working_directory;
};

// How a container starts. Entry's defaults are merged in by the caller: environment below the container's own.
struct ImageStart {
  std::vector<std::string> argv;
  std::optional<std::filesystem::path> root;
  std::map<std::string, std::string> environment;
  std::string working_directory;
};

class ImageMappings {
 public:
  ImageMappings() = default;  // no entry: all on the host

  // An error names file, line, field and remedy.
  static Result<ImageMappings> read(const std::filesystem::path& file);
  static Result<ImageMappings> parse(std::string_view yaml);

  // nullptr: no entry matches. Cost: O(entries).
  [[nodiscard]] const ImageMapping* find(std::string_view image) const;
  // `command` and `args` as in a container, expanded. An error (Invalid): neither is given, and no entry has a default;
  // it names the image and what to write into the file.
  [[nodiscard]] Result<ImageStart> start_of(std::string_view image, std::span<const std::string> command,
                                            std::span<const std::string> args) const;
  [[nodiscard]] size_t size() const { return entries_.size(); }

 private:
  std::vector<ImageMapping> entries_;
  std::string file_;  // for messages
};

// `pattern` with any number of *. Cost: O(pattern × text).
[[nodiscard]] bool matches_pattern(std::string_view pattern, std::string_view text);

}  // namespace basalt::node
