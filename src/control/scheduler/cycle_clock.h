// Where the time of a cycle goes.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "engine/core/cycle.h"

namespace basalt::scheduler {

// How long one cycle and its phases took.
struct CycleTimes {
  Duration total, open, close;
  std::vector<std::pair<std::string, Duration>> actions;  // in the order they ran
};

// Reads a clock when the engine says that a phase begins. No clock: every time is 0.
class CycleClock final : public engine::CycleObserver {
 public:
  explicit CycleClock(std::function<Instant()> clock) : clock_(std::move(clock)) {}
  void phase(std::string_view name) override;
  // The times of the cycle that has just ended.
  [[nodiscard]] CycleTimes take();

 private:
  std::function<Instant()> clock_;
  CycleTimes times_;
  std::string running_;  // the phase that has begun; "" : none
  Instant began_, phase_began_;
};

}  // namespace basalt::scheduler
