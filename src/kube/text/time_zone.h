// Time zones: how far a place's clocks stand from UTC at each moment.
//
// A TimeZone is a value: a list of changes, and a yearly rule for the time after the last of them. It is read from
// TZif data (RFC 8536), which systems keep under a directory of IANA names.
//
// 1. at() answers for every moment; the answers' spans tile all of time.
// 2. Offsets lie within kMaxZoneOffsetSeconds of UTC, changes are in rising order: data that says otherwise is refused.
//
// Cost: at() is O(log changes). Only load_time_zone reads files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/text/time_zone_rule.h"

namespace basalt::text {

inline constexpr size_t kMaxZoneBytes = size_t{1024} * 1024;
inline constexpr size_t kMaxZoneName = 128;

class TimeZone {
 public:
  TimeZone() = default;  // UTC
  // A zone that never changes.
  static TimeZone fixed(int32_t east_seconds);
  // TZif data of version 1 to 4; leap seconds are ignored, as Go does. Any bytes give a zone or an error.
  static Result<TimeZone> parse(std::string_view tzif);

  [[nodiscard]] ZoneSpan at(int64_t unix_seconds) const;

 private:
  struct Change {
    int64_t at;
    int32_t east_seconds;
  };
  int32_t first_east_ = 0;       // before the first change
  std::vector<Change> changes_;  // rising by `at`
  std::optional<ZoneRule> rule_;
};

// May `name` be looked for: parts of letters, digits, '.', '_', '+', '-' between single slashes, no part that is "." or
// ".." or starts with '-', at most kMaxZoneName bytes. "" is not.
[[nodiscard]] bool is_zone_name(std::string_view name);

// The zone called `name` ("Europe/Berlin") in the system's time zone data; "UTC" needs no data. NotFound names it and
// says what to write instead. `directory`: where to look instead of the system's places.
[[nodiscard]] Result<TimeZone> load_time_zone(std::string_view name, const std::string& directory = {});

}  // namespace basalt::text
