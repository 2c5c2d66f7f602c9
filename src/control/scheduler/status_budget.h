// Status and event writes are rate-limited while binds are pending.
//
// Every write costs the server the same, whether somebody waits for it or not. So status and event writes get a small
// rate, with a burst, while binds go out; once none was sent for `rest` they go as fast as the server takes them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/instant.h"

namespace basalt::scheduler {

class StatusBudget {
 public:
  struct Options {
    int64_t per_second = 1;  // while others are busy
    int64_t credit = 1;      // that many at once
    Duration rest;
  };
  explicit constexpr StatusBudget(Options terms)
      : rest_(terms.rest),
        price_{Duration::seconds(1).nanos / terms.per_second},
        credit_{price_.nanos * (terms.credit - 1)} {}

  // Somebody else is busy.
  void busy(Instant now) { rested_at_ = now + rest_; }
  // From when on one may go. kNever: it may at any time.
  [[nodiscard]] Instant next() const {
    if (!rested_at_.is_set() || !paid_until_.is_set()) return kNever;
    return std::min(rested_at_, paid_until_ + Duration{-credit_.nanos});
  }
  // One goes; also one that could not wait for next().
  void take(Instant now) {
    if (rested_at_.is_set() && now < rested_at_) paid_until_ = std::max(paid_until_, now) + price_;
  }

 private:
  Duration rest_, price_, credit_;
  Instant rested_at_;   // kNever: nobody was busy yet
  Instant paid_until_;  // kNever: nothing went in a busy time yet
};

}  // namespace basalt::scheduler
