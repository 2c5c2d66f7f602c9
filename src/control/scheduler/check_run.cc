#include "control/scheduler/check_run.h"

#include <utility>

#include "base/check.h"

namespace basalt::scheduler {

void CheckRun::start(const state::FeedOptions& options, bool in_background) {
  check(!running_, "one rebuild at a time");
  running_ = true;
  const auto work = [this, options] {
    Rebuilt rebuilt = rebuild(client_, options);
    const std::lock_guard lock(mutex_);
    rebuilt_ = std::move(rebuilt);
    bell_.ring();
  };
  if (in_background) {
    thread_ = std::thread(work);
  } else {
    work();
  }
}

std::optional<CheckRun::Rebuilt> CheckRun::take() {
  if (!running_) return std::nullopt;
  {
    const std::lock_guard lock(mutex_);
    if (!rebuilt_) return std::nullopt;
  }
  wait();
  running_ = false;
  return std::exchange(rebuilt_, std::nullopt);
}

void CheckRun::wait() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace basalt::scheduler
