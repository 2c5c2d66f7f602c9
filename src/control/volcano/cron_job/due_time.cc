#include "control/volcano/cron_job/due_time.h"

#include <array>

namespace basalt::volcano {
namespace {

// The last moment after `from` that is not after `now`.
std::optional<Instant> last_in(const api::CronSchedule& schedule, const text::TimeZone& zone, Instant from,
                               Instant now) {
  std::optional<Instant> last;
  for (std::optional<Instant> at = schedule.next(from, zone); at && *at <= now; at = schedule.next(*at, zone))
    last = at;
  return last;
}

bool more_than(int count, const api::CronSchedule& schedule, const text::TimeZone& zone, Instant from, Instant now) {
  std::optional<Instant> at = from;
  for (int i = 0; i <= count; ++i) {
    at = schedule.next(*at, zone);
    if (!at || *at > now) return false;
  }
  return true;
}

}  // namespace

DueTime due_time(const api::CronSchedule& schedule, const text::TimeZone& zone, Instant earliest, Instant now) {
  DueTime due{.next = schedule.next(now, zone)};
  due.many_missed = more_than(kManyMissed, schedule, zone, earliest, now);
  if (const std::optional<Duration> every = schedule.every()) {
    // Counted from `earliest`: a fixed delay has no times of its own.
    const int64_t steps = (now - earliest).nanos / every->nanos;
    if (steps > 0) due.latest = earliest + Duration{steps * every->nanos};
    due.next = (due.latest ? *due.latest : earliest) + *every;
    return due;
  }
  if (!due.many_missed) {
    due.latest = last_in(schedule, zone, earliest, now);
    return due;
  }
  // Many: look back in steps that grow, so that a step holds few of them.
  constexpr std::array kLooks = {Duration::seconds(120), Duration::seconds(3'600), Duration::seconds(86'400),
                                 Duration::seconds(32 * 86'400), Duration::seconds(366 * 86'400)};
  for (const Duration look : kLooks) {
    const Instant from = std::max(earliest, now + Duration{-look.nanos});
    due.latest = last_in(schedule, zone, from, now);
    if (due.latest || from == earliest) return due;
  }
  due.latest = last_in(schedule, zone, earliest, now);
  return due;
}

}  // namespace basalt::volcano
