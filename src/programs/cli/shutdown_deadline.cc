#include "programs/cli/shutdown_deadline.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace basalt::cli {
namespace {

constexpr std::chrono::hours kMaxGrace{24 * 365};  // beyond it no clock can be asked to wait

// Not through stdio, whose lock somebody may hold, and not to a pipe that nobody reads.
void write_line(const std::string& line) {
  pollfd error{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (::poll(&error, 1, 0) == 1) (void)!::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

ShutdownDeadline::~ShutdownDeadline() {
  {
    const std::lock_guard lock(mutex_);
    in_time_ = true;
  }
  change_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void ShutdownDeadline::begin(std::chrono::milliseconds grace) {
  grace = std::min<std::chrono::milliseconds>(grace, kMaxGrace);
  const auto end = std::chrono::steady_clock::now() + grace;
  // Made now: later there may be no memory for it.
  std::string line = fmt::format("{}: did not end within {} s: ends at once\n", program_,
                                 std::chrono::ceil<std::chrono::seconds>(grace).count());
  thread_ = std::thread([this, end, line = std::move(line)] { wait(end, line); });
}

void ShutdownDeadline::wait(std::chrono::steady_clock::time_point end, const std::string& line) {
  std::unique_lock lock(mutex_);
  if (change_.wait_until(lock, end, [this] { return in_time_; })) return;
  write_line(line);
  std::_Exit(EXIT_FAILURE);
}

}  // namespace basalt::cli
