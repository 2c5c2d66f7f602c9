#include "control/volcano/job/job_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "control/volcano/job/controlled_resources.h"
#include "control/volcano/job/policy/lifecycle_policy.h"
#include "kube/api/views/volcano_pod_group_view.h"

namespace basalt::volcano {
namespace {

constexpr int64_t kDefaultTaskRetries = 3;
constexpr int64_t kEndless = -1;

bool tells(const TaskPod& task_pod) {
  return !task_pod.stale && task_pod.task != TaskPod::kNoTask && task_pod.disposition != PodDisposition::Remove &&
         task_pod.disposition != PodDisposition::MarkFirst;
}

// It is there, but only to be removed and made again.
bool is_lost(const TaskPod& task_pod) {
  return task_pod.pod->lost && !task_pod.pod->out_of_sync && !task_pod.stale && task_pod.task != TaskPod::kNoTask &&
         task_pod.disposition == PodDisposition::Remove;
}

JobEvent event_of(std::string_view event, const TaskPod& task_pod) {
  const CachedPod& pod = *task_pod.pod;
  return {.event = event,
          .task = task_pod.task,
          .pod = pod.name,
          .uid = pod.uid,
          .index = pod.index,
          .partition = pod.partition,
          .exit_code = 0,
          .since = pod.created,
          .lost = false};
}

// The index at the end of a pod's name, when the pod had that place; -1: it had none that counts.
int32_t index_of_lost(const JobView& job, const TaskView& task, std::string_view name) {
  const size_t dash = name.rfind('-');
  if (dash == std::string_view::npos) return -1;
  int32_t index = -1;
  const std::string_view digits = name.substr(dash + 1);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  const bool fits = read.ec == std::errc() && index >= 0 && index < task.replicas;
  return fits && is_pod_of_task(job, task, index, name) ? index : -1;
}

void add_losses(const JobSnapshot& snapshot, std::vector<JobEvent>& events) {
  const JobView& job = snapshot.job;
  for (const LostPod& loss : snapshot.seen.lost_pods) {
    if (loss.job_version < job.version || snapshot.seen.pods.contains(loss.pod)) continue;
    if (remembered(job, evicted_key(loss.pod)) == loss.uid) continue;
    const TaskView* task = job.find_task(loss.task);
    if (task == nullptr) continue;
    const int32_t index = index_of_lost(job, *task, loss.pod);
    if (index < 0) continue;
    events.push_back({.event = "PodEvicted",
                      .task = static_cast<int32_t>(task - job.tasks.data()),
                      .pod = loss.pod,
                      .uid = loss.uid,
                      .index = index,
                      .partition = loss.partition,
                      .exit_code = 0,
                      .since = kNever,
                      .lost = true});
  }
}

struct TaskTale {
  int64_t succeeded = 0, restarts = 0;
  bool current = false;  // a pod of this version succeeded
  Instant last_end;
};

void add_pods(const JobSnapshot& snapshot, std::vector<JobEvent>& events, std::vector<TaskTale>& tales) {
  for (const TaskPod& task_pod : snapshot.pods) {
    const CachedPod& pod = *task_pod.pod;
    const bool kept_success = pod.phase == PodPhase::Succeeded && task_pod.task != TaskPod::kNoTask &&
                              task_pod.disposition != PodDisposition::Remove &&
                              task_pod.disposition != PodDisposition::MarkFirst;
    if (kept_success) {
      TaskTale& tale = tales[static_cast<size_t>(task_pod.task)];
      ++tale.succeeded;
      tale.current = tale.current || !task_pod.stale;
      tale.last_end = std::max(tale.last_end, pod.finished.is_set() ? pod.finished : pod.created);
    }
    if (is_lost(task_pod) && remembered(snapshot.job, evicted_key(pod.name)) != pod.uid) {
      JobEvent event = event_of("PodEvicted", task_pod);
      event.since = kNever;
      event.lost = true;
      events.push_back(event);
    }
    if (!tells(task_pod)) continue;
    if (pod.phase == PodPhase::Failed) {
      JobEvent event = event_of("PodFailed", task_pod);
      event.exit_code = pod.exit_code;
      if (pod.finished.is_set()) event.since = pod.finished;
      if (!pod.out_of_sync || task_pod.disposition == PodDisposition::Marked) events.push_back(event);
    }
    if (task_pod.disposition == PodDisposition::Leaving) continue;
    if (pod.phase == PodPhase::Pending) events.push_back(event_of("PodPending", task_pod));
    if (pod.phase == PodPhase::Pending || pod.phase == PodPhase::Running) {
      tales[static_cast<size_t>(task_pod.task)].restarts += pod.restarts;
    }
  }
}

void add_tasks(const JobView& job, const std::vector<TaskTale>& tales, std::vector<JobEvent>& events) {
  for (size_t i = 0; i < job.tasks.size(); ++i) {
    const TaskView& task = job.tasks[i];
    const TaskTale& tale = tales[i];
    if (task.replicas <= 0) continue;
    JobEvent event{.task = static_cast<int32_t>(i)};
    if (tale.succeeded >= task.replicas && tale.current) {
      event.event = "TaskCompleted";
      event.since = tale.last_end;
      events.push_back(event);
    }
    const int64_t allowed = task.max_retry == 0 ? kDefaultTaskRetries : task.max_retry;
    if (allowed != kEndless && tale.restarts >= allowed) {
      event.event = "TaskFailed";
      event.since = kNever;
      events.push_back(event);
    }
  }
}

}  // namespace

std::string JobEvent::text(const JobView& job) const {
  const std::string_view task_name = task < 0 ? std::string_view() : job.tasks[static_cast<size_t>(task)].key();
  if (event == "PodFailed") return fmt::format("pod {} failed with exit code {}", pod, exit_code);
  if (event == "PodPending") return fmt::format("pod {} is pending for too long", pod);
  if (event == "PodEvicted") return fmt::format("pod {} was evicted", pod);
  if (event == "TaskCompleted") return fmt::format("task {} completed", task_name);
  if (event == "TaskFailed") return fmt::format("containers of task {} restarted too often", task_name);
  return "the PodGroup's state is Unknown";
}

std::vector<JobEvent> events_of(const JobSnapshot& snapshot, const text::Object* group) {
  std::vector<JobEvent> events;
  if (!has_policies(snapshot.job)) return events;
  std::vector<TaskTale> tales(snapshot.job.tasks.size());
  add_pods(snapshot, events, tales);
  add_losses(snapshot, events);
  add_tasks(snapshot.job, tales, events);
  std::ranges::stable_sort(events, [](const JobEvent& left, const JobEvent& right) {
    return left.task != right.task ? left.task < right.task : left.index < right.index;
  });
  if (group != nullptr && api::PodGroupView(*group).status().phase() == "Unknown") {
    events.push_back({.event = "Unknown"});
  }
  return events;
}

}  // namespace basalt::volcano
