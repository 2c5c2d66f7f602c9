#include "control/volcano/job/expand/task_dependencies.h"

#include <fmt/format.h>

#include "kube/api/views/pod_view.h"

namespace basalt::volcano {
namespace {

// Empty when the dependency is met; else what is missing.
std::string missing_of(const JobView& job, std::string_view name, std::span<const int64_t> ready) {
  const TaskView* task = job.find_task(name);
  if (task == nullptr) return fmt::format("task {}, which the job does not have", name);
  const auto place = static_cast<size_t>(task - job.tasks.data());
  const int64_t have = place < ready.size() ? ready[place] : 0;
  const int64_t need = task->min_available.value_or(task->replicas);
  if (have >= need) return {};
  return fmt::format("task {}: {} of {} pods ready", name, have, need);
}

}  // namespace

DependencyCheck may_start(const JobView& job, const TaskView& task, std::span<const int64_t> ready) {
  const bool one_is_enough = task.depends_on_any && task.depends_on.size() > 1;
  std::string first_missing;
  for (const std::string_view name : task.depends_on) {
    std::string missing = missing_of(job, name, ready);
    if (missing.empty() && one_is_enough) return {};
    if (!missing.empty() && first_missing.empty()) first_missing = std::move(missing);
  }
  if (first_missing.empty()) return {};
  return {.may_start = false, .waits_for = "waits for " + first_missing};
}

bool is_ready_for_dependents(const text::Object& pod) {
  const api::PodStatusView status = api::PodView(pod).status();
  if (status.phase() == "Succeeded") return true;
  if (status.phase() != "Running") return false;
  for (const api::ContainerStatusView container : status.container_statuses()) {
    if (!container.ready()) return false;
  }
  return true;
}

}  // namespace basalt::volcano
