// A container's log file: CRI lines, rotated by size.
//
// Each line is "<RFC 3339 time with nanoseconds> stdout|stderr F|P <text>": F for a line that had its end, P for a
// piece of one that is too long (kMaxLogLine) or had no end when the output ended. This is what GET pods/x/log reads.
//
// Files: <container>.log is the current one; at max_bytes it becomes <container>.log.1, and so on up to max_files in
// all; the oldest goes. A log that is there when a container starts is a former run's: it becomes
// <container>.previous.log. A disk that refuses does not stop the container: what could not be written is counted and
// said in the next line that could.
//
// Single-threaded. Memory: at most one line per stream.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "base/result.h"
#include "control/node/local/descriptor.h"
#include "control/node/local/process.h"

namespace basalt::node {

inline constexpr size_t kMaxLogLine = size_t{16} * 1024;
inline constexpr int kMaxLogFiles = 100;

struct ContainerLogLimits {
  int64_t max_bytes = 10 * 1024 * 1024;
  int max_files = 5;
};

class ContainerLogFile {
 public:
  // Makes the directories above it (0755), puts a former log aside. An error names the file.
  static Result<ContainerLogFile> open(const std::filesystem::path& file, ContainerLogLimits limits);
  // Goes on with the log of a container that runs already.
  static Result<ContainerLogFile> resume(const std::filesystem::path& file, ContainerLogLimits limits);

  void append(OutputStream stream, std::string_view bytes, Instant now);
  // The output has ended: what had no line end is written.
  void finish(Instant now);

 private:
  ContainerLogFile(std::filesystem::path file, ContainerLogLimits limits) : file_(std::move(file)), limits_(limits) {}
  void add_line(OutputStream stream, std::string_view text, bool whole, Instant now);
  void write_out(Instant now);
  bool reopen();
  void rotate();

  std::filesystem::path file_;
  ContainerLogLimits limits_;
  Descriptor descriptor_;
  int64_t size_ = 0;
  int64_t lost_bytes_ = 0;
  std::array<std::string, 2> unfinished_;  // by stream
  std::string waiting_;                    // lines of this append()
};

// <directory>/c.log → <directory>/c.previous.log.
[[nodiscard]] std::filesystem::path previous_log(const std::filesystem::path& file);

}  // namespace basalt::node
