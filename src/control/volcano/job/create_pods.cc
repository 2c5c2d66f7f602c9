#include "control/volcano/job/create_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "control/volcano/job/expand/pod_factory.h"
#include "control/volcano/job/expand/task_dependencies.h"
#include "control/volcano/volcano_writes.h"
#include "kube/api/job_limits.h"

namespace basalt::volcano {
namespace {

// The places of each task that have a pod, in order.
std::vector<std::vector<int32_t>> taken_places(const JobSnapshot& snapshot) {
  std::vector<std::vector<int32_t>> taken(snapshot.job.tasks.size());
  for (const TaskPod& task_pod : snapshot.pods) {
    if (task_pod.task != TaskPod::kNoTask) taken[static_cast<size_t>(task_pod.task)].push_back(task_pod.pod->index);
  }
  for (std::vector<int32_t>& places : taken) std::ranges::sort(places);
  return taken;
}

// Up to `limit` places below `replicas` that are not in `taken`.
std::vector<int64_t> free_places(const std::vector<int32_t>& taken, int64_t replicas, int64_t limit) {
  std::vector<int64_t> free;
  auto next = taken.begin();
  for (int64_t index = 0; index < replicas && static_cast<int64_t>(free.size()) < limit; ++index) {
    while (next != taken.end() && *next < index) ++next;
    if (next == taken.end() || *next != index) free.push_back(index);
  }
  return free;
}

EventNote cannot_create(const JobView& job, std::string_view why) {
  return warning(VolcanoKind::Job, *job.object, "FailedCreate", fmt::format("Error creating pods: [{}]", why));
}

}  // namespace

std::string create_pods(WritePlan& plan, const JobSnapshot& snapshot, bool forwarded, Instant now) {
  const JobView& job = snapshot.job;
  if (static_cast<int64_t>(snapshot.pods.size()) >= job.total_replicas() &&
      std::ranges::all_of(snapshot.pods, [](const TaskPod& one) { return one.task != TaskPod::kNoTask; })) {
    return "";  // every place is taken
  }
  std::string failure;
  const auto fail = [&](std::string why) {
    plan.notes.push_back(cannot_create(job, why));
    if (failure.empty()) failure = std::move(why);
  };
  if (const int64_t pods = job.total_replicas(); pods > api::kMaxPodsPerJob) {
    // Admission refuses such a job; this one came in without it.
    fail(fmt::format("spec.tasks[*].replicas are {} together, a job may have up to {} pods: lower them", pods,
                     api::kMaxPodsPerJob));
    return failure;
  }
  const std::vector<std::vector<int32_t>> taken = taken_places(snapshot);
  std::vector<int64_t> ready;
  ready.reserve(snapshot.tasks.size());
  for (const TaskCounts& counts : snapshot.tasks) ready.push_back(counts.ready);
  std::optional<JobPluginSet> plugins;
  int64_t left = kMaxPodsPerPlan;
  for (size_t i = 0; i < job.tasks.size() && left > 0; ++i) {
    const TaskView& task = job.tasks[i];
    if (job.find_task(task.key()) != &task) continue;  // a namesake: its pods would have the names of another's
    const std::vector<int64_t> free = free_places(taken[i], task.replicas, left);
    if (free.empty() || !may_start(job, task, ready).may_start) continue;
    if (!plugins) {
      auto set = JobPluginSet::of(job);
      if (!set) {
        fail(set.error().message);
        return failure;
      }
      plugins = std::move(*set);
    }
    const auto factory = PodFactory::of(job, task, *plugins, forwarded);
    if (!factory) {
      fail(factory.error().message);
      continue;
    }
    for (const int64_t index : free) plan.write(create_object(VolcanoKind::Pod, factory->make(index)));
    left -= static_cast<int64_t>(free.size());
    plan.look_again(now + kTakenNamePause);
  }
  return failure;
}

}  // namespace basalt::volcano
