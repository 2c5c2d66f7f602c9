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

std::vector<CallQueue::QueuedCall> CallQueue::take_all() {
  std::vector<QueuedCall> all;
  all.reserve(size());
  for (auto& [due, waiting] : later_) all.push_back(std::move(waiting));
  for (QueuedCall& waiting : ready_) all.push_back(std::move(waiting));
  later_.clear();
  ready_.clear();
  return all;
}

std::optional<CallQueue::Time> due_again(const CallQueue::QueuedCall& waiting, const ReplyOrError& outcome,
                                         CallQueue::Time now) {
  if (outcome) return std::nullopt;
  const api::ApiError& error = outcome.error();
  if ((error.code != 429 && error.code != 503) || error.retry_after_seconds <= 0) return std::nullopt;
  if (waiting.call.subresource == "eviction" || waiting.throttled_count >= kMaxThrottledRetries) return std::nullopt;
  const auto due = now + std::chrono::seconds(error.retry_after_seconds);
  const auto since = waiting.throttled_count == 0 ? now : waiting.first_throttled_at;
  if (due - since > kMaxThrottledWait) return std::nullopt;
  return due;
}

}  // namespace basalt::client
