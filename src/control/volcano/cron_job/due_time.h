// The latest moment of a schedule that has passed and was not served yet.
#pragma once

#include <optional>

#include "base/instant.h"
#include "kube/api/cron_schedule.h"
#include "kube/text/time_zone.h"

namespace basalt::volcano {

inline constexpr int kManyMissed = 100;  // more are worth a warning

struct DueTime {
  std::optional<Instant> latest;  // after `earliest` and not after `now`
  bool many_missed = false;       // more than kManyMissed lie between
  std::optional<Instant> next;    // after `now`; nothing: never again
};

// Cost: a few hundred steps of the schedule, however long ago `earliest` is.
[[nodiscard]] DueTime due_time(const api::CronSchedule& schedule, const text::TimeZone& zone, Instant earliest,
                               Instant now);

}  // namespace basalt::volcano
