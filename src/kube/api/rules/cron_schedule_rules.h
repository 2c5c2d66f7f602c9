// The schedule of a CronJob: five fields (minute, hour, day, month, weekday), or a word such as @daily or @every 1h.
#pragma once

#include <string>
#include <string_view>

namespace basalt::api::rules {

// What is wrong with the schedule; empty: nothing.
[[nodiscard]] std::string schedule_complaint(std::string_view schedule);

// "Europe/Berlin": the form of a time zone's name. Whether there is one is known only where the rules of time zones
// are.
[[nodiscard]] bool is_time_zone_form(std::string_view name);

}  // namespace basalt::api::rules
