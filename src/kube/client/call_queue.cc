#include "kube/client/call_queue.h"

namespace basalt::client {

CallQueue::Next CallQueue::take(Time now) {
  const bool again = !later_.empty() && later_.begin()->first <= now;
  if (!again && ready_.empty()) {
    if (later_.empty()) return {};
    return {.call = std::nullopt, .look_again = later_.begin()->first};
  }
  if (!bucket_.take(now)) return {.call = std::nullopt, .look_again = bucket_.next()};
  Next next;
  if (again) {
    next.call = std::move(later_.begin()->second);
    later_.erase(later_.begin());
  } else {
    next.call = std::move(ready_.front());
    ready_.pop_front();
  }
  return next;
}

std::vector<CallQueue::Waiting> CallQueue::take_all() {
  std::vector<Waiting> all;
  all.reserve(size());
  for (auto& [due, waiting] : later_) all.push_back(std::move(waiting));
  for (Waiting& waiting : ready_) all.push_back(std::move(waiting));
  later_.clear();
  ready_.clear();
  return all;
}

std::optional<CallQueue::Time> due_again(const CallQueue::Waiting& waiting, const Outcome& outcome,
                                         CallQueue::Time now) {
  if (outcome) return std::nullopt;
  const api::ApiError& error = outcome.error();
  if ((error.code != 429 && error.code != 503) || error.retry_after_seconds <= 0) return std::nullopt;
  if (waiting.call.subresource == "eviction" || waiting.turned_away >= kMaxTurnedAway) return std::nullopt;
  const auto due = now + std::chrono::seconds(error.retry_after_seconds);
  const auto since = waiting.turned_away == 0 ? now : waiting.turned_away_at;
  if (due - since > kMaxHeldBack) return std::nullopt;
  return due;
}

}  // namespace basalt::client
