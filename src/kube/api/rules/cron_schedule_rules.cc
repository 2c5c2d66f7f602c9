#include "kube/api/rules/cron_schedule_rules.h"

#include <algorithm>

#include "kube/api/cron_schedule.h"
#include "kube/text/time_zone.h"

namespace basalt::api::rules {

std::string schedule_complaint(std::string_view schedule) {
  // An old CronJob may have its zone here; a new one is refused elsewhere.
  if (schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=")) {
    const size_t blank = schedule.find(' ');
    if (blank == std::string_view::npos) return "provided bad location";
    schedule.remove_prefix(blank + 1);
  }
  const auto parsed = CronSchedule::parse(schedule);
  return parsed ? "" : parsed.error().message;
}

bool is_time_zone_form(std::string_view name) {
  constexpr size_t kMaxPartBytes = 14;
  if (!text::is_zone_name(name)) return false;
  for (size_t start = 0; start < name.size();) {
    const size_t slash = std::min(name.find('/', start), name.size());
    if (slash - start > kMaxPartBytes) return false;
    start = slash + 1;
  }
  return true;
}

}  // namespace basalt::api::rules
