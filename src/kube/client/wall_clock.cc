#include "kube/client/wall_clock.h"

#include <chrono>
#include <mutex>

#include "kube/client/boot_clock.h"
#include "kube/client/monotonic_wall_clock.h"

namespace basalt::client {

Instant wall_clock() {
  static std::mutex mutex;
  static MonotonicWallClock time;
  const std::lock_guard lock(mutex);
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return time.next({std::chrono::duration_cast<std::chrono::nanoseconds>(since).count()}, boot_clock());
}

}  // namespace basalt::client
