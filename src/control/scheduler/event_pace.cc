#include "control/scheduler/event_pace.h"

#include <algorithm>
#include <utility>

namespace basalt::scheduler {
void EventPace::add(Remark remark) {
  if (waiting_.size() >= kMaxEventsWaiting) {
    waiting_.pop_front();
    ++dropped_;
  }
  waiting_.push_back(std::move(remark));
}

std::optional<Instant> EventPace::next_due() const {
  if (waiting_.empty()) return std::nullopt;
  return std::max(waiting_.front().at, allowance_.next());
}

std::optional<Remark> EventPace::next(Instant now) {
  const std::optional<Instant> due = next_due();
  if (!due || *due > now) return std::nullopt;
  allowance_.take(now);
  Remark remark = std::move(waiting_.front());
  waiting_.pop_front();
  return remark;
}

uint64_t EventPace::take_dropped() { return std::exchange(dropped_, 0); }

}  // namespace basalt::scheduler
