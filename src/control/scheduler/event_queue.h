// When events are sent: they must not delay binds.
//
// An event costs a server as much as a bind. Events are rate-limited while decisions or status writes are pending
// (status_budget.h); then they go as fast as the server takes them. What waits is small (about 200 bytes each); beyond
// kMaxEventsWaiting the oldest are dropped.
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
