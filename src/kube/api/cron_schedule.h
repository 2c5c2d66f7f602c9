// When a CronJob is due: a schedule in cron's notation, and the next moment it names.
//
//   CronSchedule::parse("*/5 8-18 * * mon-fri")   minute, hour, day of month, month, day of week
//   CronSchedule::parse("@daily")                 @yearly @annually @monthly @weekly @daily @midnight @hourly
//   CronSchedule::parse("@every 1h30m")           a fixed delay, at least a second, in whole seconds
//
// A field is a list of `*`, `?`, `a`, `a-b`, each with an optional `/step`; `a/step` means from a on. Months and days
// have English three-letter names. With both days restricted a date needs to match one of them, otherwise both.
//
// Clock changes: a time that clocks skip is not due that day; a time that clocks show twice is due twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/instant.h"
#include "base/result.h"
#include "kube/text/time_zone.h"

namespace basalt::api {

inline constexpr size_t kMaxScheduleBytes = 4096;

class CronSchedule {
 public:
  // The error says which part of the text is wrong and why, in the words of Kubernetes' cron library. A zone ("TZ=…")
  // inside the text is refused: it has its own field. Cost: O(text).
  static Result<CronSchedule> parse(std::string_view text);

  // The first moment later than `after`, on a whole second, at which the schedule is due by the clocks of `zone`.
  // Nothing when there is none within five years ("0 0 30 2 *"), or none that an Instant can hold.
  // Cost: O(days until then).
  [[nodiscard]] std::optional<Instant> next(Instant after, const text::TimeZone& zone) const;

  // The fixed delay of "@every".
  [[nodiscard]] std::optional<Duration> every() const {
    return every_seconds_ > 0 ? std::optional(Duration::seconds(every_seconds_)) : std::nullopt;
  }

 private:
  CronSchedule() = default;
  [[nodiscard]] bool matches_date(unsigned month, unsigned day, unsigned weekday) const;
  [[nodiscard]] std::optional<int64_t> first_in_day(int64_t from_second) const;

  // Bit i: the value i is in the field.
  uint64_t minutes_ = 0, hours_ = 0, days_ = 0, months_ = 0, weekdays_ = 0;
  bool any_day_ = false, any_weekday_ = false;  // the field has a star
  int64_t every_seconds_ = 0;                   // above 0: a fixed delay, and the fields do not count
};

}  // namespace basalt::api
