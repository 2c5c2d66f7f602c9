#include "control/scheduler/background_rebuild.h"

#include <utility>

#include "base/check.h"

namespace basalt::scheduler {

void BackgroundRebuild::start(const state::StateOptions& options, bool in_background) {
  check(!running_, "one rebuild at a time");
  running_ = true;
  const auto work = [this, options] {
    Rebuilt rebuilt = rebuild(client_, options);
    const std::lock_guard lock(mutex_);
    rebuilt_ = std::move(rebuilt);
    wake_up_.notify();
  };
  if (in_background) {
    thread_ = std::thread(work);
  } else {
    work();
  }
}

std::optional<BackgroundRebuild::Rebuilt> BackgroundRebuild::take() {
  if (!running_) return std::nullopt;
  {
    const std::lock_guard lock(mutex_);
    if (!rebuilt_) return std::nullopt;
  }
  wait();
  running_ = false;
  return std::exchange(rebuilt_, std::nullopt);
}

void BackgroundRebuild::wait() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace basalt::scheduler
