#include "control/node/local/container_log_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "kube/text/rfc3339.h"

namespace basalt::node {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kLogMode = 0600;

fs::path rotated(const fs::path& file, int number) { return file.string() + "." + std::to_string(number); }

std::string cri_time(Instant now) {
  std::string seconds = text::format_time(now);
  if (seconds.ends_with('Z')) seconds.pop_back();
  const int64_t fraction = ((now.nanos % 1'000'000'000) + 1'000'000'000) % 1'000'000'000;
  return fmt::format("{}.{:09}Z", seconds, fraction);
}

}  // namespace

fs::path previous_log(const fs::path& file) {
  return file.parent_path() / (file.stem().string() + ".previous" + file.extension().string());
}

Result<ContainerLogFile> ContainerLogFile::open(const fs::path& file, ContainerLogLimits limits) {
  std::error_code error;
  if (fs::exists(file, error)) fs::rename(file, previous_log(file), error);
  for (int number = 1; number < kMaxLogFiles && fs::remove(rotated(file, number), error); ++number) {
  }
  return resume(file, limits);
}

Result<ContainerLogFile> ContainerLogFile::resume(const fs::path& file, ContainerLogLimits limits) {
  limits.max_files = std::clamp(limits.max_files, 1, kMaxLogFiles);
  limits.max_bytes = std::max<int64_t>(limits.max_bytes, 1);
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) {
    return failure(ErrorCode::Io,
                   "cannot make the log directory " + file.parent_path().string() + ": " + error.message());
  }
  ContainerLogFile log(file, limits);
  if (!log.reopen()) {
    return failure(ErrorCode::Io, "cannot write the log " + file.string() + ": " + std::strerror(errno));
  }
  return log;
}

bool ContainerLogFile::reopen() {
  descriptor_.reset(::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kLogMode));
  struct stat found{};
  size_ = descriptor_.is_open() && ::fstat(descriptor_.get(), &found) == 0 ? found.st_size : 0;
  return descriptor_.is_open();
}

void ContainerLogFile::rotate() {
  std::error_code error;
  if (limits_.max_files == 1) {
    fs::remove(file_, error);
  } else {
    for (int number = limits_.max_files - 2; number >= 1; --number) {
      fs::rename(rotated(file_, number), rotated(file_, number + 1), error);
    }
    fs::rename(file_, rotated(file_, 1), error);
  }
  reopen();
}

void ContainerLogFile::add_line(OutputStream stream, std::string_view text, bool whole, Instant now) {
  waiting_ += cri_time(now);
  waiting_ += stream == OutputStream::Stdout ? " stdout " : " stderr ";
  waiting_ += whole ? "F " : "P ";
  waiting_ += text;
  waiting_ += '\n';
}

void ContainerLogFile::append(OutputStream stream, std::string_view bytes, Instant now) {
  std::string& begun = unfinished_[static_cast<size_t>(stream)];
  while (!bytes.empty()) {
    const size_t room = kMaxLogLine - begun.size();
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    const size_t taken = std::min(end, room);
    begun += bytes.substr(0, taken);
    bytes.remove_prefix(taken);
    const bool whole = taken == end && !bytes.empty();
    if (whole) bytes.remove_prefix(1);
    if (!whole && begun.size() < kMaxLogLine) break;  // all was taken
    add_line(stream, begun, whole, now);
    begun.clear();
    if (waiting_.size() >= static_cast<size_t>(limits_.max_bytes)) write_out(now);
  }
  write_out(now);
}

void ContainerLogFile::finish(Instant now) {
  for (const OutputStream stream : {OutputStream::Stdout, OutputStream::Stderr}) {
    std::string& begun = unfinished_[static_cast<size_t>(stream)];
    if (!begun.empty()) add_line(stream, begun, false, now);
    begun.clear();
  }
  write_out(now);
}

void ContainerLogFile::write_out(Instant now) {
  if (waiting_.empty()) return;
  if (size_ > 0 && size_ + static_cast<int64_t>(waiting_.size()) > limits_.max_bytes) rotate();
  if (!descriptor_.is_open()) reopen();
  if (lost_bytes_ > 0) {
    waiting_.insert(0, fmt::format("{} stderr F [basalt: {} bytes of log could not be written and are lost]\n",
                                   cri_time(now), lost_bytes_));
  }
  std::string_view left = waiting_;
  while (!left.empty() && descriptor_.is_open()) {
    const ssize_t written = ::write(descriptor_.get(), left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    left.remove_prefix(static_cast<size_t>(written));
    size_ += written;
  }
  lost_bytes_ = left.empty() ? 0 : lost_bytes_ + static_cast<int64_t>(left.size());
  waiting_.clear();
}

}  // namespace basalt::node
