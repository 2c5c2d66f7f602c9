#include "api/rules/cron_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "text/duration.h"
#include "text/scalar.h"

namespace basalt::api::rules {
namespace {

constexpr size_t kMaxScheduleBytes = 4096;

struct Bounds {
  int64_t low, high;
  std::array<std::string_view, 12> names;  // in order from `low`; empty ones are none
};

constexpr std::array<Bounds, 5> kFields = {{
    {0, 59, {}},
    {0, 23, {}},
    {1, 31, {}},
    {1, 12, {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
    {0, 6, {"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
}};

constexpr std::array<std::string_view, 7> kWords = {"@yearly", "@annually", "@monthly", "@weekly",
                                                    "@daily",  "@midnight", "@hourly"};

std::vector<std::string_view> split(std::string_view text, std::string_view at) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find_first_of(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<int64_t> number_of(std::string_view text, const Bounds& bounds) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  for (size_t i = 0; i < bounds.names.size(); ++i) {
    if (!bounds.names[i].empty() && bounds.names[i] == lower) return bounds.low + static_cast<int64_t>(i);
  }
  const auto number = text::parse_int(text);
  if (!number || *number < 0) return std::nullopt;
  return *number;
}

// "*", "5", "1-5", "*/2", "1-30/5"
std::string range_complaint(std::string_view text, const Bounds& bounds) {
  const std::vector<std::string_view> steps = split(text, "/");
  const std::vector<std::string_view> ends = split(steps[0], "-");
  if (steps.size() > 2) return fmt::format("too many slashes: {}", text);
  if (ends.size() > 2) return fmt::format("too many hyphens: {}", text);
  int64_t first = bounds.low;
  int64_t last = bounds.high;
  if (ends[0] != "*" && ends[0] != "?") {
    const auto start = number_of(ends[0], bounds);
    if (!start) return fmt::format("failed to parse int from {}", ends[0]);
    const auto end = ends.size() == 2 ? number_of(ends[1], bounds) : start;
    if (!end) return fmt::format("failed to parse int from {}", ends[1]);
    first = *start;
    last = ends.size() == 1 && steps.size() == 2 ? bounds.high : *end;
  }
  if (steps.size() == 2) {
    const auto step = text::parse_int(steps[1]);
    if (!step || *step < 0) return fmt::format("failed to parse int from {}", steps[1]);
    if (*step == 0) return fmt::format("step of range should be a positive number: {}", text);
  }
  if (first < bounds.low) return fmt::format("beginning of range ({}) below minimum ({}): {}", first, bounds.low, text);
  if (last > bounds.high) return fmt::format("end of range ({}) above maximum ({}): {}", last, bounds.high, text);
  if (first > last) return fmt::format("beginning of range ({}) beyond end of range ({}): {}", first, last, text);
  return "";
}

}  // namespace

std::string schedule_complaint(std::string_view schedule) {
  if (schedule.size() > kMaxScheduleBytes) return "too long";
  if (schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=")) {
    const size_t blank = schedule.find(' ');
    if (blank == std::string_view::npos) return "provided bad location";
    schedule.remove_prefix(blank + 1);
  }
  if (schedule.starts_with('@')) {
    constexpr std::string_view kEvery = "@every ";
    if (std::ranges::find(kWords, schedule) != kWords.end()) return "";
    if (schedule.starts_with(kEvery) && text::parse_duration(schedule.substr(kEvery.size()))) return "";
    return fmt::format("unrecognized descriptor: {}", schedule);
  }
  std::vector<std::string_view> fields;
  for (const std::string_view field : split(schedule, " \t\n\r")) {
    if (!field.empty()) fields.push_back(field);
  }
  if (fields.size() != kFields.size()) {
    return fmt::format("expected exactly 5 fields, found {}: [{}]", fields.size(), fmt::join(fields, " "));
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    for (const std::string_view part : split(fields[i], ",")) {
      if (std::string complaint = range_complaint(part, kFields[i]); !complaint.empty()) return complaint;
    }
  }
  return "";
}

bool is_time_zone_form(std::string_view name) {
  for (const std::string_view part : split(name, "/")) {
    const auto fine = [](char c) {
      return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
             c == '_' || c == '+';
    };
    if (part.empty() || part.size() > 14 || part == "." || part == ".." || part.starts_with('-')) return false;
    if (!std::ranges::all_of(part, fine)) return false;
  }
  return true;
}

}  // namespace basalt::api::rules
