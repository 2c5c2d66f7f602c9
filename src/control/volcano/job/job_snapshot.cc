#include "control/volcano/job/job_snapshot.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "kube/api/views/volcano_job_view.h"

namespace basalt::volcano {
namespace {

// Finds tasks by key; a linear search while they are few.
class TaskFinder {
 public:
  explicit TaskFinder(const JobView& job) : job_(job) {
    if (job.tasks.size() <= kFew) return;
    for (size_t i = 0; i < job.tasks.size(); ++i) places_.try_emplace(job.tasks[i].key(), static_cast<int32_t>(i));
  }
  [[nodiscard]] int32_t find(std::string_view key) const {
    if (!places_.empty()) {
      const auto at = places_.find(key);
      return at == places_.end() ? TaskPod::kNoTask : at->second;
    }
    for (size_t i = 0; i < job_.tasks.size(); ++i) {
      if (job_.tasks[i].key() == key) return static_cast<int32_t>(i);
    }
    return TaskPod::kNoTask;
  }

 private:
  static constexpr size_t kFew = 8;
  const JobView& job_;
  std::unordered_map<std::string_view, int32_t> places_;
};

void count(PodCounts& counts, const CachedPod& pod, bool going) {
  if (going) {
    ++counts.terminating;
    return;
  }
  switch (pod.phase) {
    case PodPhase::Pending:
      ++counts.pending;
      break;
    case PodPhase::Running:
      ++counts.running;
      break;
    case PodPhase::Succeeded:
      ++counts.succeeded;
      break;
    case PodPhase::Failed:
      ++counts.failed;
      break;
    case PodPhase::Unknown:
      ++counts.unknown;
      break;
  }
}

// The kill that made pods stale said that finished ones go too. A restart that is the last one keeps them, so that
// people can look at them; so does a resume, and a targeted restart has made nothing stale.
bool sweeps_finished(const JobView& job, JobPhase phase) {
  if (phase != JobPhase::Restarting || job.retry_count >= job.max_retry) return false;
  const JobAction last = action_of(api::VolcanoJobStatusView(*job.status).state().reason());
  return last != JobAction::ResumeJob && !is_targeted(last);
}

struct Rules {
  JobPhase phase;
  bool working, sweeps;
  int64_t retry_count;
};

PodDisposition fate_of(const TaskPod& task_pod, const Rules& rules) {
  const CachedPod& pod = *task_pod.pod;
  if (pod.leaving()) return PodDisposition::Leaving;
  if (pod.alive() && (task_pod.stale || !rules.working)) return PodDisposition::Remove;
  if (task_pod.stale && rules.sweeps) return PodDisposition::Remove;
  if (pod.restart > 0) {
    // A mark is made for the next retry; any other number has been counted, or is nobody's.
    const bool counted = pod.restart != rules.retry_count + 1 || rules.phase == JobPhase::Restarting;
    if (counted) return PodDisposition::Remove;
    return rules.working ? PodDisposition::Marked : PodDisposition::Keep;
  }
  if (!rules.working) return PodDisposition::Keep;
  if (pod.out_of_sync || pod.lost) return PodDisposition::Remove;
  if (task_pod.task != TaskPod::kNoTask) return PodDisposition::Keep;
  return pod.alive() ? PodDisposition::MarkFirst : PodDisposition::Remove;
}

}  // namespace

bool is_pod_of_task(const JobView& job, const TaskView& task, int64_t index, std::string_view name) {
  if (!name.starts_with(job.name)) return false;
  name.remove_prefix(job.name.size());
  if (!name.starts_with('-')) return false;
  name.remove_prefix(1);
  if (!name.starts_with(task.name)) return false;
  name.remove_prefix(task.name.size());
  if (!name.starts_with('-')) return false;
  name.remove_prefix(1);
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), index).ptr;
  return name == std::string_view(digits.data(), end);
}

JobSnapshot::JobSnapshot(const text::Object& object, const JobPods& seen_pods, const std::set<size_t>& removed)
    : job(object), phase(phase_of(job.phase)), seen(seen_pods), tasks(job.tasks.size()) {
  const TaskFinder finder(job);
  const Rules rules{.phase = phase,
                    .working = is_working(phase),
                    .sweeps = sweeps_finished(job, phase),
                    .retry_count = job.retry_count};
  pods.reserve(seen.pods.size());
  for (const auto& [name, pod] : seen.pods) {
    if (pod.task.empty()) continue;
    TaskPod task_pod{.pod = &pod, .task = finder.find(pod.task), .stale = pod.job_version < job.version};
    TaskCounts* of_task = nullptr;
    if (task_pod.task != TaskPod::kNoTask) {
      of_task = &tasks[static_cast<size_t>(task_pod.task)];
      const TaskView& task = job.tasks[static_cast<size_t>(task_pod.task)];
      const bool fits = pod.index >= 0 && pod.index < task.replicas && is_pod_of_task(job, task, pod.index, name);
      if (!fits) task_pod.task = TaskPod::kNoTask;
    }
    task_pod.disposition = fate_of(task_pod, rules);
    if (task_pod.disposition != PodDisposition::Leaving && removed.contains(pods.size()))
      task_pod.disposition = PodDisposition::Remove;
    const bool going = task_pod.disposition != PodDisposition::Keep && task_pod.disposition != PodDisposition::Marked;
    const bool left = pod.leaving() || (pod.lost && going);  // lost with its node: no failure of the job
    if (of_task != nullptr && !left) ++of_task->by_phase[static_cast<size_t>(pod.phase)];
    if (of_task != nullptr && !going) ++of_task->staying[static_cast<size_t>(pod.phase)];
    count(counts, pod, left);
    count(effective, pod, going);
    if (task_pod.task != TaskPod::kNoTask && !going) {
      const bool ready = pod.phase == PodPhase::Succeeded || (pod.phase == PodPhase::Running && pod.ready);
      tasks[static_cast<size_t>(task_pod.task)].ready += ready ? 1 : 0;
    }
    pods.push_back(task_pod);
  }
}

bool JobSnapshot::has(PodDisposition disposition) const {
  return std::ranges::find(pods, disposition, &TaskPod::disposition) != pods.end();
}

JobTransition JobSnapshot::next(JobAction action, const PodCounts& by) const {
  std::vector<TaskOutcome> outcomes;
  outcomes.reserve(job.tasks.size());
  for (size_t i = 0; i < job.tasks.size(); ++i) {
    const auto& by_phase = tasks[i].by_phase;
    outcomes.push_back({.replicas = job.tasks[i].replicas,
                        .min_available = job.tasks[i].min_available,
                        .counted = std::ranges::any_of(by_phase, [](int64_t number) { return number > 0; }),
                        .succeeded = tasks[i].of(PodPhase::Succeeded)});
  }
  return transition(phase, action, by,
                    {.replicas = job.total_replicas(),
                     .min_available = job.min_available,
                     .known_min_available = job.status_min_available,
                     .max_retry = job.max_retry,
                     .retry_count = job.retry_count,
                     .min_success = job.min_success,
                     .tasks = outcomes});
}

}  // namespace basalt::volcano
