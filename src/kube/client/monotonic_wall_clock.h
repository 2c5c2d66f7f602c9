// The time of day for deadlines: it never goes back.
//
// A machine's clock may be set, by people or by NTP. Forward: we follow at once. Back by an hour: whoever waits for a
// time of day would wait an hour longer, a scheduler as well as a job's TTL. So time goes on at nine tenths of its
// speed until the clock has caught up: intervals are a tenth longer meanwhile, and timestamps ahead of the clock.
#pragma once

#include <algorithm>

#include "base/instant.h"

namespace basalt::client {

class MonotonicWallClock {
 public:
  // The time, given what the machine's clock says and a clock of intervals that never jumps.
  Instant next(Instant wall, Instant interval) {
    const Duration passed = began_ ? interval - at_ : Duration{};
    now_ = began_ ? std::max(wall, now_ + Duration{passed.nanos / 10 * 9}) : wall;
    at_ = interval;
    began_ = true;
    return now_;
  }

 private:
  bool began_ = false;
  Instant now_, at_;
};

}  // namespace basalt::client
