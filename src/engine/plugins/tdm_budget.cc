#include "engine/plugins/tdm_budget.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace basalt::plugins {

using model::TaskStatus;

namespace {

constexpr int32_t kWithoutBudget = 1;

std::optional<int32_t> number_or_percent(std::string_view text, int32_t of) {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!percent) return number;
  const int64_t hundredths = int64_t{number} * of;
  return static_cast<int32_t>(hundredths > 0 ? (hundredths + 99) / 100 : hundredths / 100);
}

}  // namespace

int32_t disturbable_tasks(const model::Job& job) {
  const auto tasks = static_cast<int32_t>(job.tasks.size());
  const int32_t running = job.count(TaskStatus::Running);
  if (!job.budget.max_unavailable.empty()) {
    const int32_t finished = job.count(TaskStatus::Succeeded) + job.count(TaskStatus::Failed);
    const int32_t unavailable = tasks - finished - running;
    return std::max(0, number_or_percent(job.budget.max_unavailable, tasks).value_or(0) - unavailable);
  }
  if (!job.budget.min_available.empty()) {
    return std::max(0, running - number_or_percent(job.budget.min_available, tasks).value_or(running));
  }
  return kWithoutBudget;
}

}  // namespace basalt::plugins
