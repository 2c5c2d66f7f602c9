#include "control/volcano/job/create_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "control/volcano/job/expand/depends.h"
#include "control/volcano/job/expand/pod_factory.h"
#include "control/volcano/writes.h"
#include "kube/api/job_limits.h"

namespace basalt::volcano {
namespace {

// The places of each task that have a pod, in order.
std::vector<std::vector<int32_t>> taken_places(const JobPicture& picture) {
  std::vector<std::vector<int32_t>> taken(picture.job.tasks.size());
  for (const PlacedPod& placed : picture.pods) {
    if (placed.task != PlacedPod::kNowhere) taken[static_cast<size_t>(placed.task)].push_back(placed.pod->index);
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

Note cannot_create(const JobView& job, std::string_view why) {
  return warning(Kind::Job, *job.object, "FailedCreate", fmt::format("Error creating pods: [{}]", why));
}

}  // namespace

void create_pods(Plan& plan, const JobPicture& picture, bool forwarded, Instant now) {
  const JobView& job = picture.job;
  if (static_cast<int64_t>(picture.pods.size()) >= job.total_replicas() &&
      std::ranges::all_of(picture.pods, [](const PlacedPod& one) { return one.task != PlacedPod::kNowhere; })) {
    return;  // every place is taken
  }
  if (const int64_t pods = job.total_replicas(); pods > api::kMaxPodsPerJob) {
    // Admission refuses such a job; this one came in without it.
    return plan.notes.push_back(cannot_create(
        job, fmt::format("spec.tasks[*].replicas are {} together, a job may have up to {} pods: lower them", pods,
                         api::kMaxPodsPerJob)));
  }
  const std::vector<std::vector<int32_t>> taken = taken_places(picture);
  std::vector<int64_t> ready;
  ready.reserve(picture.tasks.size());
  for (const TaskCounts& counts : picture.tasks) ready.push_back(counts.ready);
  std::optional<PluginSet> plugins;
  int64_t left = kMaxPodsPerPlan;
  for (size_t i = 0; i < job.tasks.size() && left > 0; ++i) {
    const TaskView& task = job.tasks[i];
    if (job.find_task(task.key()) != &task) continue;  // a namesake: its pods would have the names of another's
    const std::vector<int64_t> free = free_places(taken[i], task.replicas, left);
    if (free.empty() || !may_start(job, task, ready).may_start) continue;
    if (!plugins) {
      auto set = PluginSet::of(job);
      if (!set) return plan.notes.push_back(cannot_create(job, set.error().message));
      plugins = std::move(*set);
    }
    const auto factory = PodFactory::of(job, task, *plugins, forwarded);
    if (!factory) {
      plan.notes.push_back(cannot_create(job, factory.error().message));
      continue;
    }
    for (const int64_t index : free) plan.write(create_object(Kind::Pod, factory->make(index)));
    left -= static_cast<int64_t>(free.size());
    plan.look_again(now + kTakenNamePause);
  }
}

}  // namespace basalt::volcano
