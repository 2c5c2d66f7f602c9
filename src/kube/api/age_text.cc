#include "kube/api/age_text.h"

#include <fmt/format.h>

#include <limits>

#include "kube/api/object_fields.h"
#include "kube/text/rfc3339.h"

namespace basalt::api {
namespace {

std::string two_units(int64_t large, char large_unit, int64_t small, char small_unit) {
  if (small == 0) return fmt::format("{}{}", large, large_unit);
  return fmt::format("{}{}{}{}", large, large_unit, small, small_unit);
}

}  // namespace

std::string age_text(Duration length) {
  const int64_t seconds = length.nanos / 1'000'000'000;
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  const int64_t minutes = seconds / 60, hours = minutes / 60, days = hours / 24;
  if (minutes < 2) return fmt::format("{}s", seconds);
  if (minutes < 10) return two_units(minutes, 'm', seconds % 60, 's');
  if (hours < 3) return fmt::format("{}m", minutes);
  if (hours < 8) return two_units(hours, 'h', minutes % 60, 'm');
  if (days < 2) return fmt::format("{}h", hours);
  if (days < 8) return two_units(days, 'd', hours % 24, 'h');
  if (days < 2 * 365) return fmt::format("{}d", days);
  if (days < 8 * 365) return two_units(days / 365, 'y', days % 365, 'd');
  return fmt::format("{}y", days / 365);
}

std::string age_since(Instant then, Instant now) {
  if (!then.is_set()) return "<unknown>";
  constexpr int64_t kLongest = std::numeric_limits<int64_t>::max();
  const bool too_long = then.nanos < 0 && now.nanos > kLongest + then.nanos;  // a made-up time centuries ago
  return age_text(too_long ? Duration{kLongest} : now - then);
}

Instant time_of(std::string_view written) { return text::parse_time(written).value_or(kNever); }

Instant time_at(const text::Object& object, std::initializer_list<std::string_view> path) {
  return time_of(string_at(object, path));
}

std::string age_of(const text::Object& object, Instant now) {
  return age_since(time_at(object, {"metadata", "creationTimestamp"}), now);
}

}  // namespace basalt::api
