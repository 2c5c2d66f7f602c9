#include "control/scheduler/event_queue.h"

#include <algorithm>
#include <utility>

namespace basalt::scheduler {
void EventQueue::add(PendingEvent pending_event) {
  if (waiting_.size() >= kMaxEventsWaiting) {
    waiting_.pop_front();
    ++dropped_;
  }
  waiting_.push_back(std::move(pending_event));
}

std::optional<Instant> EventQueue::next_due() const {
  if (waiting_.empty()) return std::nullopt;
  return std::max(waiting_.front().at, budget_.next());
}

std::optional<PendingEvent> EventQueue::next(Instant now) {
  const std::optional<Instant> due = next_due();
  if (!due || *due > now) return std::nullopt;
  budget_.take(now);
  PendingEvent pending_event = std::move(waiting_.front());
  waiting_.pop_front();
  return pending_event;
}

uint64_t EventQueue::take_dropped() { return std::exchange(dropped_, 0); }

}  // namespace basalt::scheduler
