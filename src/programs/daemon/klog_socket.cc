#include "programs/daemon/klog_socket.h"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "kube/net/server.h"
#include "kube/text/go_duration.h"
#include "kube/text/scalar.h"
#include "programs/daemon/diagnostics_server.h"
#include "programs/daemon/log_level_page.h"

namespace basalt::daemon {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Longer than anybody watches a log; the clock's arithmetic must not overflow.
constexpr Duration kMaxLength = Duration::seconds(int64_t{365} * 24 * 3600);
constexpr mode_t kDirectoryMode = 0750;

constexpr net::ServerLimits kSocketLimits{.header_bytes = size_t{8} * 1024, .body_bytes = 1024, .connections = 8};

constexpr std::string_view kHelp =
    "give a level above 0 and how long it holds, for example "
    "curl --unix-socket FILE \"http://localhost/setlevel?level=5&duration=60s\"\n";

// Directories above it, too. One that is there already stays as it is; that of another user, who could put a socket of
// his own in our place, is not used.
Result<void> make_directory(const fs::path& directory) {
  std::error_code error;
  struct stat found{};
  if (::stat(directory.c_str(), &found) == 0 && S_ISDIR(found.st_mode)) {
    if (found.st_uid == ::geteuid() || found.st_uid == 0) return {};
    return failure(ErrorCode::Io, directory.string() +
                                      " belongs to another user: name another directory in "
                                      "$DEBUG_SOCKET_DIR");
  }
  fs::create_directories(directory.parent_path(), error);
  if (!error && ::mkdir(directory.c_str(), kDirectoryMode) != 0 && errno != EEXIST) {
    error = std::error_code(errno, std::generic_category());
  }
  if (error) return failure(ErrorCode::Io, "make the directory " + directory.string() + ": " + error.message());
  return {};
}

// The level that holds for a while.
class Loan {
 public:
  explicit Loan(AsyncLog& log)
      : log_(log), usual_(log.level()), thread_([this](const std::stop_token& stop) { run(stop); }) {}

  void set(int level, Duration length) {
    {
      const std::scoped_lock lock(mutex_);
      until_ = Clock::now() + std::chrono::nanoseconds(length.nanos);
      log_.set_level(level);
    }
    changed_.notify_one();
    log_.write(Severity::Info,
               "the level of the log is " + std::to_string(level) + " for " + text::format_duration(length));
  }

 private:
  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      if (!until_) {
        changed_.wait(lock, stop, [this] { return until_.has_value(); });
      } else if (const Clock::time_point until = *until_; Clock::now() < until) {  // a copy: it is read while waiting
        changed_.wait_until(lock, stop, until, [this, until] { return until_ != until; });
      } else {
        until_.reset();
        log_.set_level(usual_);
        log_.write(Severity::Info, "the level of the log is " + std::to_string(usual_) + " again");
      }
    }
  }

  AsyncLog& log_;
  const int usual_;
  std::mutex mutex_;  // guards what follows, but for the thread
  std::condition_variable_any changed_;
  std::optional<Clock::time_point> until_;
  std::jthread thread_;  // last: it uses all of the above
};

class HttpLogSocket final : public KlogSocket {
 public:
  explicit HttpLogSocket(AsyncLog& log) : log_(log), loan_(log) {}

  Result<void> listen(const std::string& file) {
    const PageHandler set_level = [this](const net::HttpRequest& request) { return set(request); };
    PageTable pages{{"/getlevel",
                     [this](const net::HttpRequest&) {
                       return net::plain_text(200, "Current klog log level: " + std::to_string(log_.level()) + "\n");
                     }},
                    {"/setlevel", set_level},
                    {"PUT /setlevel", set_level}};
    auto server =
        net::Server::start({.socket_file = file, .threads = 1, .limits = kSocketLimits}, serving(std::move(pages)));
    if (!server) return std::unexpected(server.error());
    server_ = std::move(*server);
    return {};
  }

 private:
  net::HttpResponse set(const net::HttpRequest& request) {
    const auto level = text::parse_int32(query_value(request.target, "level"));
    const auto length = text::parse_duration(query_value(request.target, "duration"));
    if (!level || *level <= 0 || !length || length->nanos < Duration::millis(1).nanos || *length > kMaxLength) {
      return net::plain_text(400, std::string(kHelp));
    }
    loan_.set(*level, *length);
    return net::plain_text(
        200, "klog log level is " + std::to_string(*level) + " for " + text::format_duration(*length) + "\n");
  }

  AsyncLog& log_;
  Loan loan_;
  std::unique_ptr<net::Server> server_;  // last: its pages use the others
};

}  // namespace

std::string log_socket_directory() {
  const char* given = std::getenv("DEBUG_SOCKET_DIR");
  return given != nullptr && *given != '\0' ? given : kLogSocketDirectory;
}

Result<std::unique_ptr<KlogSocket>> KlogSocket::start(AsyncLog& log, const std::string& directory,
                                                      const std::string& component) {
  if (auto made = make_directory(directory); !made) return std::unexpected(made.error());
  auto socket = std::make_unique<HttpLogSocket>(log);
  if (auto on = socket->listen(fs::path(directory) / (component + "-klog.sock")); !on) {
    return std::unexpected(on.error());
  }
  return socket;
}

}  // namespace basalt::daemon
