#include "programs/daemon/async_log.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "kube/client/wall_clock.h"
#include "kube/text/document_path.h"
#include "programs/daemon/log_line.h"

namespace basalt::daemon {
namespace {

using Clock = std::chrono::steady_clock;

// How often a writer whose reader is slow looks whether it should end.
constexpr std::chrono::milliseconds kLookUp{100};

}  // namespace

Result<LogFormat> parse_log_format(const std::string& text) {
  if (text.empty() || text == "text") return LogFormat::Text;
  if (text == "json") return LogFormat::Json;
  return invalid("unknown format " + text::in_quotes(text) + ", give text or json");
}

class AsyncLog::Sink {
 public:
  Sink(std::string component, LogFormat format, int descriptor)
      : component_(std::move(component)), format_(format), descriptor_(descriptor), thread_([this] { run(); }) {}
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  ~Sink() {
    {
      const std::scoped_lock lock(mutex_);
      end_by_ = Clock::now() + kLogFlushTimeout;
    }
    more_.notify_one();
  }

  void add(Severity severity, const std::string& message) {
    std::string line = log_line(format_, client::wall_clock(), severity, component_, message);
    {
      const std::scoped_lock lock(mutex_);
      bytes_ += line.size();
      lines_.push_back(std::move(line));
      while (lines_.size() > kMaxLogLines || bytes_ > kMaxLogBytes) {
        bytes_ -= lines_.front().size();
        lines_.pop_front();
        ++dropped_;
      }
    }
    more_.notify_one();
  }

  [[nodiscard]] uint64_t dropped() const {
    const std::scoped_lock lock(mutex_);
    return dropped_;
  }

  void settle() {
    std::unique_lock lock(mutex_);
    written_.wait_for(lock, kLogFlushTimeout, [this] { return lines_.empty() && !writing_; });
  }

 private:
  void run() {
    uint64_t told = 0;
    while (auto next = take(told)) {
      if (!put(*next)) return;
    }
  }

  // Waits for the next line; nothing at the end. After a gap the line that tells of it comes first.
  std::optional<std::string> take(uint64_t& told) {
    std::unique_lock lock(mutex_);
    writing_ = false;
    written_.notify_all();
    more_.wait(lock, [this] { return !lines_.empty() || end_by_; });
    if (dropped_ > told) {
      const uint64_t missing = dropped_ - std::exchange(told, dropped_);
      return log_line(format_, client::wall_clock(), Severity::Warning, component_,
                      fmt::format("the log was not read in time: {} lines are missing here", missing));
    }
    if (lines_.empty()) return {};
    writing_ = true;
    std::string line = std::move(lines_.front());
    lines_.pop_front();
    bytes_ -= line.size();
    return line;
  }

  [[nodiscard]] bool is_too_late() const {
    const std::scoped_lock lock(mutex_);
    return end_by_ && Clock::now() >= *end_by_;
  }

  // False: it is time to end. A place that cannot be written to swallows the line.
  bool put(std::string_view line) const {
    while (!line.empty()) {
      pollfd entry{.fd = descriptor_, .events = POLLOUT, .revents = 0};
      if (::poll(&entry, 1, static_cast<int>(kLookUp.count())) <= 0) {
        if (is_too_late()) return false;
        continue;
      }
      // A pipe that is ready takes so much without blocking.
      const auto put = ::write(descriptor_, line.data(), std::min<size_t>(line.size(), PIPE_BUF));
      if (put > 0) {
        line.remove_prefix(static_cast<size_t>(put));
      } else if (errno != EAGAIN && errno != EINTR) {
        return true;
      }
    }
    return true;
  }

  const std::string component_;
  const LogFormat format_;
  const int descriptor_;

  mutable std::mutex mutex_;  // guards what follows, but for the thread
  std::condition_variable more_, written_;
  bool writing_ = false;  // a line that was taken is not out yet
  std::deque<std::string> lines_;
  size_t bytes_ = 0;
  uint64_t dropped_ = 0;
  std::optional<Clock::time_point> end_by_;
  std::jthread thread_;  // last: it uses all of the above
};

AsyncLog::AsyncLog(std::string component, LogFormat format, int level, int descriptor)
    : sink_(std::make_unique<Sink>(std::move(component), format, descriptor)), level_(level) {}

AsyncLog::~AsyncLog() = default;

void AsyncLog::write(Severity severity, const std::string& line) const { sink_->add(severity, line); }

void AsyncLog::settle() const { sink_->settle(); }

uint64_t AsyncLog::dropped() const { return sink_->dropped(); }

}  // namespace basalt::daemon
