#include "programs/up/component_logs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <mutex>
#include <utility>

#include "kube/text/log_text.h"
#include "kube/text/rfc3339.h"
#include "programs/up/component_pods.h"

namespace basalt::up {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSchedulerLine = "scheduler: ";

// One log file, and the one before it.
class ComponentLog {
 public:
  ComponentLog(const fs::path& directory, std::string_view component)
      : directory_(directory / kComponentNamespace / component_pod(component)),
        file_(directory_ / fmt::format("{}.log", component)) {
    std::error_code ignored;
    fs::create_directories(directory_, ignored);
  }

  void write(const std::string& line) {
    if (!stream_.is_open()) open();
    stream_ << line << '\n' << std::flush;
    bytes_ += line.size() + 1;
    if (bytes_ < kMaxComponentLogBytes) return;
    stream_.close();
    std::error_code ignored;
    fs::path former = file_;
    fs::rename(file_, former.replace_extension(".previous.log"), ignored);
  }

 private:
  void open() {
    // For its owner only, as all logs here, before anybody can write to it.
    const int made = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (made >= 0) ::close(made);
    stream_.open(file_, std::ios::app);
    std::error_code ignored;
    const auto size = fs::file_size(file_, ignored);
    bytes_ = ignored ? 0 : size;
  }

  fs::path directory_, file_;
  std::ofstream stream_;
  size_t bytes_ = 0;
};

struct ComponentLogFiles {
  ComponentLogFiles(const fs::path& directory, std::function<Instant()> now)
      : clock(std::move(now)),
        admission(directory, "volcano-admission"),
        controllers(directory, "volcano-controllers"),
        scheduler(directory, "volcano-scheduler") {}

  // As a kubelet writes the log of a container, of which the prefix is no part.
  void write(ComponentLog& log, bool warning, const std::string& line) {
    const std::string told = fmt::format("{} stderr F {} {}", text::format_time(clock()), warning ? 'W' : 'I',
                                         text::log_text(line, kMaxLogLineBytes));
    const std::lock_guard lock(mutex);
    log.write(told);
  }

  const std::function<Instant()> clock;
  std::mutex mutex;  // guards the logs
  ComponentLog admission, controllers, scheduler;
};

}  // namespace

ComponentLogFunctions open_component_logs(const fs::path& directory, LogLineFunction next,
                                          std::function<Instant()> clock) {
  // Shared by both functions and their copies.
  const auto files = std::make_shared<ComponentLogFiles>(directory, std::move(clock));
  return {.line =
              [files, next = std::move(next)](bool warning, const std::string& line) {
                if (next) next(warning, line);
                files->write(line.starts_with(kSchedulerLine) ? files->scheduler : files->controllers, warning, line);
              },
          .admission = [files](const std::string& line) { files->write(files->admission, false, line); }};
}

}  // namespace basalt::up
