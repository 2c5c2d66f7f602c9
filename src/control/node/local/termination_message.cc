#include "control/node/local/termination_message.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "control/node/local/descriptor.h"
#include "kube/api/views/container_view.h"
#include "kube/text/utf8.h"

namespace basalt::node {
namespace {

constexpr mode_t kForAnybody = 0666;
constexpr size_t kMaxLinePrefix = 64;  // "2026-01-01T00:00:00.000000000Z stdout F "

// `most` bytes from the start of a plain file, or from its end.
std::string read_some(const std::filesystem::path& file, size_t most, bool from_end) {
  // A link or a pipe in its place is not followed, nor waited for.
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat found{};
  if (!opened.is_open() || ::fstat(opened.get(), &found) != 0 || !S_ISREG(found.st_mode)) return "";
  const auto size = static_cast<size_t>(found.st_size);
  if (from_end && size > most) ::lseek(opened.get(), static_cast<off_t>(size - most), SEEK_SET);
  std::string bytes(most, '\0');
  size_t got = 0;
  while (got < most) {
    const ssize_t more = ::read(opened.get(), bytes.data() + got, most - got);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) break;
    got += static_cast<size_t>(more);
  }
  bytes.resize(got);
  return bytes;
}

// The text of a line of a log (container_log_file.h): behind time, stream and whether the line is whole.
std::string_view text_of_line(std::string_view line, bool& whole) {
  for (int word = 0; word < 3; ++word) {
    const size_t blank = line.find(' ');
    if (blank == std::string_view::npos) return {};
    if (word == 2) whole = line.substr(0, blank) == "F";
    line.remove_prefix(blank + 1);
  }
  return line;
}

std::string tail_of(const std::filesystem::path& log) {
  const size_t most = kMaxFallbackBytes + kMaxFallbackLines * kMaxLinePrefix;
  const std::string bytes = read_some(log, most, true);
  std::string_view rest = bytes;
  if (bytes.size() == most) rest.remove_prefix(std::min(rest.find('\n') + 1, rest.size()));  // what was cut in two
  std::vector<std::string> lines(1);
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    bool whole = true;
    lines.back() += text_of_line(rest.substr(0, end), whole);
    if (whole) {
      lines.back() += '\n';
      lines.emplace_back();
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::string text;
  const size_t first = lines.size() > kMaxFallbackLines ? lines.size() - 1 - kMaxFallbackLines : 0;
  for (size_t i = first; i < lines.size(); ++i) text += lines[i];
  if (text.size() > kMaxFallbackBytes) text.erase(0, text.size() - kMaxFallbackBytes);
  return text;
}

// A cut, at the start or the end, may have split a character: its rest goes. Of what is no text, what can be read
// stays.
std::string as_text(std::string bytes, bool cut_at_start) {
  constexpr size_t kLongestCharacter = 4;
  const std::string_view all = bytes;
  for (size_t cut = 0; cut < kLongestCharacter && cut <= all.size(); ++cut) {
    const std::string_view rest = cut_at_start ? all.substr(cut) : all.substr(0, all.size() - cut);
    if (text::is_utf8(rest)) return std::string(rest);
  }
  for (char& c : bytes) {
    if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  }
  return bytes;
}

}  // namespace

TerminationFile termination_of(const text::Object& object, const std::filesystem::path& pod_directory,
                               const std::filesystem::path& log) {
  const api::ContainerView container(object);
  TerminationFile termination{.path = std::string(container.termination_message_path()), .log = log};
  termination.falls_back = container.termination_message_policy() == "FallbackToLogsOnError";
  if (!termination.path.starts_with('/')) return termination;
  termination.file = pod_directory / ("termination-" + std::string(container.name()));
  return termination;
}

Result<void> prepare(const TerminationFile& termination) {
  if (termination.file.empty()) return {};
  const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
  const Descriptor made(::open(termination.file.c_str(), flags, kForAnybody));
  if (made.is_open() && ::fchmod(made.get(), kForAnybody) == 0) return {};
  return failure(ErrorCode::Io,
                 "cannot make the file of its termination message: " + std::string(std::strerror(errno)));
}

std::string termination_message(const TerminationFile& termination, int exit_code) {
  std::string message;
  if (!termination.file.empty()) message = read_some(termination.file, kMaxTerminationMessage, false);
  if (!message.empty() || exit_code == 0 || !termination.falls_back) return as_text(std::move(message), false);
  return as_text(tail_of(termination.log), true);
}

}  // namespace basalt::node
