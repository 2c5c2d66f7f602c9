// When events are told: they are for people, and must not cost those who wait for nodes.
//
// An event takes a server as long as a bind. While decisions or status go out they are told by their allowance; then as
// fast as the server takes them. What waits is kept small (about 200 bytes each); beyond kMaxEventsWaiting the oldest
// are given up.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "base/instant.h"
#include "control/scheduler/cycle_output.h"
#include "control/scheduler/status_budget.h"

namespace basalt::scheduler {

inline constexpr size_t kMaxEventsWaiting = 20'000;
inline constexpr int64_t kEventsWhileBusy = 10;  // a second
inline constexpr int64_t kEventCredit = 100;
inline constexpr Duration kRestBefore = Duration::seconds(5);

class EventQueue {
 public:
  void add(PendingEvent pending_event);
  // Something else than an event is sent.
  void busy(Instant now) { budget_.busy(now); }

  // The oldest, if it may be told now.
  [[nodiscard]] std::optional<PendingEvent> next(Instant now);
  // When next() has something; nothing: nothing waits.
  [[nodiscard]] std::optional<Instant> next_due() const;
  [[nodiscard]] uint64_t take_dropped();  // given up since the last call

 private:
  std::deque<PendingEvent> waiting_;
  StatusBudget budget_{{.per_second = kEventsWhileBusy, .credit = kEventCredit, .rest = kRestBefore}};
  uint64_t dropped_ = 0;
};

}  // namespace basalt::scheduler
