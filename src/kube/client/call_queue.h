// Calls that wait for a connection, in the order in which they came, and not faster than the rate limit lets them go.
// Those that the server has turned away wait here as well until they are due; then they go before the others.
//
// At most kMaxQueuedCalls. Not for several threads at once: the pool has a lock. Time is an argument.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "kube/client/object_client.h"
#include "kube/client/token_bucket.h"

namespace basalt::client {

inline constexpr size_t kMaxQueuedCalls = 100'000;  // more are refused with 429
// How often, and for how long in all, a call is held back that the server turned away (429 or 503 with Retry-After).
// Not longer than a lease lives (programs/lease/leader_elector.h): who lost it must not find an old write sent.
inline constexpr int kMaxThrottledRetries = 5;
inline constexpr std::chrono::seconds kMaxThrottledWait{10};

class CallQueue {
 public:
  using Time = TokenBucket::Time;
  struct QueuedCall {
    api::Call call;
    std::function<void(ReplyOrError)> done;
    int throttled_count = 0;
    Time first_throttled_at{};  // the first time
  };
  struct Next {
    std::optional<QueuedCall> call;
    std::optional<Time> look_again;  // when there is none: then there may be one though none was added
  };

  explicit CallQueue(TokenBucket bucket) : bucket_(bucket) {}

  [[nodiscard]] bool is_full() const { return size() >= kMaxQueuedCalls; }
  [[nodiscard]] size_t size() const { return ready_.size() + later_.size(); }
  [[nodiscard]] size_t ready() const { return ready_.size(); }
  [[nodiscard]] bool has_later() const { return !later_.empty(); }

  void add(QueuedCall waiting) { ready_.push_back(std::move(waiting)); }
  void add_later(QueuedCall waiting, Time due) { later_.emplace(due, std::move(waiting)); }
  [[nodiscard]] Next take(Time now);
  [[nodiscard]] std::vector<QueuedCall> take_all();

 private:
  TokenBucket bucket_;
  std::deque<QueuedCall> ready_;
  std::multimap<Time, QueuedCall> later_;  // equal times: in the order in which they came
};

// When a call may be sent again that ended with `outcome`; nothing: it is answered. Only what the server has certainly
// not carried out is sent again. An eviction's 429 is an answer: the disruption budget forbids it.
[[nodiscard]] std::optional<CallQueue::Time> due_again(const CallQueue::QueuedCall& waiting,
                                                       const ReplyOrError& outcome, CallQueue::Time now);

}  // namespace basalt::client
