#include "control/scheduler/cycle_clock.h"

#include <algorithm>

namespace basalt::scheduler {
namespace {

// Clocks may be set back.
Duration positive(Duration time) { return {std::max<int64_t>(0, time.nanos)}; }

}  // namespace

void CycleClock::phase(std::string_view name) {
  const Instant now = clock_ ? clock_() : kNever;
  const Duration took = positive(now - phase_began_);
  if (running_ == "open") {
    times_.open = took;
  } else if (running_ == "close") {
    times_.close = took;
  } else if (!running_.empty()) {
    times_.actions.emplace_back(running_, took);
  }
  if (running_.empty()) began_ = now;
  phase_began_ = now;
  running_ = name;
  if (name != "done") return;
  times_.total = positive(now - began_);
  running_.clear();
}

CycleTimes CycleClock::take() {
  running_.clear();
  return std::exchange(times_, {});
}

}  // namespace basalt::scheduler
