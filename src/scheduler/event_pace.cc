#include "scheduler/event_pace.h"

#include <algorithm>
#include <utility>

namespace basalt::scheduler {
namespace {

constexpr Duration kPrice{Duration::seconds(1).nanos / kEventsWhileBusy};
constexpr Duration kCredit{kPrice.nanos * (kEventCredit - 1)};

}  // namespace

void EventPace::add(Remark remark) {
  if (waiting_.size() >= kMaxEventsWaiting) {
    waiting_.pop_front();
    ++dropped_;
  }
  waiting_.push_back(std::move(remark));
}

std::optional<Instant> EventPace::next_due() const {
  if (waiting_.empty()) return std::nullopt;
  const Instant now = waiting_.front().at;
  if (!rested_at_.is_set() || !paid_until_.is_set()) return now;
  return std::min(rested_at_, paid_until_ + Duration{-kCredit.nanos});
}

std::optional<Remark> EventPace::next(Instant now) {
  const std::optional<Instant> due = next_due();
  if (!due || *due > now) return std::nullopt;
  if (rested_at_.is_set() && now < rested_at_) {
    paid_until_ = (paid_until_.is_set() ? std::max(paid_until_, now) : now) + kPrice;
  }
  Remark remark = std::move(waiting_.front());
  waiting_.pop_front();
  return remark;
}

uint64_t EventPace::take_dropped() { return std::exchange(dropped_, 0); }

}  // namespace basalt::scheduler
