// The files by which a container is found again by the node that comes after the one that started it.
//
//   <directory>/<hash of the marker>.json    what it is (DetachedRecord)
//   <directory>/<hash of the marker>.socket  its supervisor listens here while it has no node
//   <directory>/<hash of the marker>.output  what it wrote meanwhile: pieces, each a SpoolHeader and its bytes
//
// They are made before the container starts and removed when its end was reported: files without a supervisor were
// left by a machine that went down. A supervisor without a node ends its container when its files are removed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "control/node/local/container_launch.h"
#include "control/node/local/descriptor.h"
#include "control/node/local/process.h"

namespace basalt::node {

inline constexpr std::chrono::milliseconds kMaxAdoptionWait{2'000};  // for a supervisor's first word

struct DetachedRecord {
  std::string marker;  // of the process; unique among those that run
  std::filesystem::path log, cgroup;
  std::string note;  // the caller's
};

// Below the directory that processes run in.
[[nodiscard]] inline std::filesystem::path detached_directory(const std::filesystem::path& run) { return run / "kept"; }

class DetachedFiles {
 public:
  // Makes the directory, for us alone.
  static Result<DetachedFiles> open(const std::filesystem::path& directory);

  struct Opened {
    Descriptor listener, output;
  };
  // What a supervisor gets. Files of a former one with this marker are replaced.
  [[nodiscard]] Result<Opened> add(const DetachedRecord& record) const;
  void remove(const std::string& marker) const;
  // All that can be read. Cost: O(files).
  [[nodiscard]] std::vector<DetachedRecord> list() const;

  struct Link {
    LaunchedContainer held;
    uint64_t lost = 0;  // bytes of output that found no room
  };
  // The supervisor is ours from now on, until the link is closed. Nothing: it is not there any more.
  [[nodiscard]] std::optional<Link> connect(const std::string& marker) const;

  // What was written without a node, and empties the file. Requires: connected.
  void take_output(const std::string& marker,
                   const std::function<void(OutputStream, std::string_view, Instant)>& take) const;

 private:
  DetachedFiles(std::filesystem::path directory, Descriptor opened)
      : directory_(std::move(directory)), opened_(std::move(opened)) {}
  [[nodiscard]] std::filesystem::path file(const std::string& marker, std::string_view kind) const;
  // A path to the socket that is short enough for one, however long the directory's is.
  [[nodiscard]] std::string socket_path(const std::string& marker) const;

  std::filesystem::path directory_;
  Descriptor opened_;
};

}  // namespace basalt::node
