#include "control/volcano/job/job_waiting_reason.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "control/volcano/job/controlled_resources.h"
#include "control/volcano/job/expand/task_dependencies.h"
#include "control/volcano/volcano_writes.h"
#include "kube/api/views/pod_spec_view.h"
#include "kube/api/views/volcano_job_view.h"
#include "kube/api/views/volcano_pod_group_view.h"

namespace basalt::volcano {
namespace {

constexpr std::string_view kDefaultScheduler = "default-scheduler";  // Kubernetes' own, always somebody

struct RefusalWord {
  std::string_view plural, reason;
};
constexpr std::array kRefusalWords = {RefusalWord{"pods", "FailedCreate"}, RefusalWord{"podgroups", "PodGroupError"},
                                      RefusalWord{"persistentvolumeclaims", "PVCError"}, RefusalWord{"jobs", ""},
                                      RefusalWord{"commands", ""}};
constexpr std::string_view kOtherRefusals = "PluginError";

// Reasons that events tell already, in Volcano's words.
bool has_own_event(std::string_view reason) {
  return reason == kOtherRefusals ||
         (!reason.empty() && std::ranges::find(kRefusalWords, reason, &RefusalWord::reason) != kRefusalWords.end());
}

// Something has to be made or brought in step: what was refused may be among it.
bool has_more_to_make(const WritePlan& plan) {
  return std::ranges::any_of(plan.stages, [](const WritePlan::Stage& stage) {
    return std::ranges::any_of(stage, [](const api::Call& call) {
      return call.verb != api::Verb::Delete && !refusal_reason(call.resource.plural).empty();
    });
  });
}

bool is_gang_running(const JobSnapshot& snapshot) {
  const int64_t there = snapshot.counts.running + snapshot.counts.succeeded;
  return there > 0 && there >= snapshot.job.min_available;
}

// ---- a scheduler that nobody is ---------------------------------------------------------------------------------

std::string_view scheduler_of(const JobView& job, const TaskView& task) {
  const std::string_view own = api::PodSpecView(*task.template_spec).scheduler_name();
  return own.empty() ? job.scheduler_name : own;
}

bool is_known_scheduler(const VolcanoContext& context, std::string_view name) {
  const auto& known = context.options.schedulers;
  return name.empty() || name == kDefaultScheduler || std::ranges::find(known, name) != known.end();
}

// A pod of an unknown scheduler that nobody has looked at for a while: another scheduler would have placed it, or said
// on the pod why not.
JobWait unknown_scheduler(WritePlan& plan, const VolcanoContext& context, const JobSnapshot& snapshot, Instant now) {
  const JobView& job = snapshot.job;
  const auto is_unknown = [&](const TaskView& task) { return !is_known_scheduler(context, scheduler_of(job, task)); };
  if (std::ranges::none_of(job.tasks, is_unknown)) return {};
  for (const TaskPod& task_pod : snapshot.pods) {
    const CachedPod& pod = *task_pod.pod;
    const bool waits = task_pod.task != TaskPod::kNoTask && task_pod.disposition == PodDisposition::Keep &&
                       pod.phase == PodPhase::Pending && !pod.placed && !pod.unschedulable;
    if (!waits) continue;
    const TaskView& task = job.tasks[static_cast<size_t>(task_pod.task)];
    if (!is_unknown(task)) continue;
    const Instant due = pod.created + kUnknownSchedulerPatience;
    if (pod.created.is_set() && due > now) {
      plan.look_again(due);
      continue;
    }
    std::vector<std::string_view> known(context.options.schedulers.begin(), context.options.schedulers.end());
    if (std::ranges::find(known, kDefaultScheduler) == known.end()) known.push_back(kDefaultScheduler);
    return {.reason = "SchedulerUnknown",
            .message = fmt::format("nobody places pods for scheduler {}; those known are {}", scheduler_of(job, task),
                                   fmt::join(known, ", "))};
  }
  return {};
}

// ---- the gang ---------------------------------------------------------------------------------------------------

// "task b waits for task a: 0 of 1 pods ready"; "": no task waits for another.
std::string task_that_waits(const JobSnapshot& snapshot) {
  const JobView& job = snapshot.job;
  std::vector<int64_t> ready;
  for (const TaskCounts& counts : snapshot.tasks) ready.push_back(counts.ready);
  std::string words;
  int64_t can_be_there = 0;  // without waiting
  for (size_t i = 0; i < job.tasks.size(); ++i) {
    const TaskView& task = job.tasks[i];
    int64_t there = 0;
    for (const int64_t number : snapshot.tasks[i].staying) there += number;
    const DependencyCheck check = there >= task.replicas ? DependencyCheck{} : may_start(job, task, ready);
    can_be_there += check.may_start ? task.replicas : there;
    if (!check.may_start && words.empty()) words = fmt::format("task {} {}", task.key(), check.waits_for);
  }
  if (!words.empty() && can_be_there < job.min_available) {
    words += fmt::format("; minAvailable {} counts its pods too: cannot ever run, lower it to {} or less",
                         job.min_available, can_be_there);
  }
  return words;
}

JobWait gang_wait(const JobSnapshot& snapshot, const JobPodGroup& group) {
  JobWait wait;
  if (group.current() == nullptr) return wait;
  for (const api::PodGroupConditionView condition : api::PodGroupView(*group.object).status().conditions()) {
    if (condition.type() != "Waiting" || condition.status() != "True") continue;
    wait = {.reason = std::string(condition.reason()), .message = std::string(condition.message())};
  }
  if (wait.reason != "PodsMissing") return wait;
  std::string words = task_that_waits(snapshot);
  if (!words.empty()) wait = {.reason = "WaitsForTask", .message = std::move(words)};
  return wait;
}

// ---- single pods ------------------------------------------------------------------------------------------------

JobWait stuck_pods(const JobSnapshot& snapshot) {
  const CachedPod* first = nullptr;
  int64_t stuck = 0;
  for (const TaskPod& task_pod : snapshot.pods) {
    if (task_pod.pod->stuck.empty() || task_pod.disposition != PodDisposition::Keep) continue;
    if (first == nullptr) first = task_pod.pod;
    ++stuck;
  }
  if (first == nullptr) return {};
  const std::string_view why = first->stuck;
  const size_t colon = std::min(why.find(": "), why.size());
  const std::string_view words = colon == why.size() ? why : why.substr(colon + 2);
  return {.reason = std::string(why.substr(0, colon)),
          .message = stuck == 1 ? fmt::format("pod {} cannot start: {}", first->name, words)
                                : fmt::format("{} pods cannot start; {}: {}", stuck, first->name, words)};
}

JobWait pods_beyond_the_gang(const JobSnapshot& snapshot) {
  const auto waiting = std::ranges::count_if(snapshot.pods, [](const TaskPod& task_pod) {
    return task_pod.disposition == PodDisposition::Keep && task_pod.pod->phase == PodPhase::Pending &&
           task_pod.pod->unschedulable;
  });
  if (waiting == 0) return {};
  return {.reason = "Unschedulable",
          .message = fmt::format("{} of {} pods find no node; the others meet minAvailable {}", waiting,
                                 snapshot.job.total_replicas(), snapshot.job.min_available)};
}

JobWait wait_of(WritePlan& plan, const VolcanoContext& context, const JobSnapshot& snapshot, const JobPodGroup& group,
                Instant now) {
  const bool runs = is_gang_running(snapshot);  // the pods know it sooner than the group tells it
  JobWait wait;
  if (!runs) wait = unknown_scheduler(plan, context, snapshot, now);
  if (!runs && wait.reason.empty()) wait = gang_wait(snapshot, group);
  if (wait.reason.empty()) wait = stuck_pods(snapshot);
  if (runs && wait.reason.empty()) wait = pods_beyond_the_gang(snapshot);
  return wait;
}

void put_wait(JobStatusDraft& draft, const JobSnapshot& snapshot, JobWait wait) {
  if (wait.reason != remembered(snapshot.job, kWaiting)) {
    draft.memory[std::string(kWaiting)] = wait.reason.empty() ? std::nullopt : std::optional(wait.reason);
  }
  draft.reason = std::move(wait.reason);
  draft.message = std::move(wait.message);
  draft.about_wait = true;
}

}  // namespace

std::string_view refusal_reason(std::string_view plural) {
  const auto at = std::ranges::find(kRefusalWords, plural, &RefusalWord::plural);
  return at == kRefusalWords.end() ? kOtherRefusals : at->reason;
}

void set_waiting_reason(WritePlan& plan, const VolcanoContext& context, JobStatusDraft& draft,
                        const JobSnapshot& snapshot, const JobPodGroup& group, JobWait missing, Instant now) {
  const bool may_wait = draft.phase == JobPhase::Pending || draft.phase == JobPhase::Running;
  if (!may_wait || draft.reason || draft.message) return;
  const api::JobStateView state = api::VolcanoJobStatusView(*snapshot.job.status).state();
  const std::string told(remembered(snapshot.job, kWaiting));
  JobWait wait = std::move(missing);
  if (wait.reason.empty() && has_own_event(told) && has_more_to_make(plan)) {
    // Refused when it was last tried, and tried again now.
    wait = {.reason = std::string(state.reason()), .message = std::string(state.message())};
  }
  if (wait.reason.empty()) wait = wait_of(plan, context, snapshot, group, now);
  // What an action said stays until the job runs.
  if (wait.reason.empty() && told.empty() && draft.phase != JobPhase::Running) return;
  if (!wait.reason.empty() && wait.reason != told && !has_own_event(wait.reason)) {
    plan.notes.push_back(warning(VolcanoKind::Job, *snapshot.job.object, wait.reason, wait.message));
  }
  put_wait(draft, snapshot, std::move(wait));
}

bool set_refusal(WritePlan& plan, const VolcanoContext& context, const JobSnapshot& snapshot, Instant now) {
  if (context.refusal == nullptr || snapshot.phase == JobPhase::Restarting) return false;
  JobStatusDraft draft = JobStatusDraft::of(snapshot);
  if (draft.phase == JobPhase::None) draft.phase = JobPhase::Pending;
  put_wait(draft, snapshot,
           {.reason = std::string(refusal_reason(context.refusal->plural)), .message = context.refusal->message});
  auto change = status_change(snapshot, draft, now);
  if (!change) return false;
  plan.write(patch_status(VolcanoKind::Job, *snapshot.job.object, std::move(*change), RefuseIf::Changed));
  return true;
}

}  // namespace basalt::volcano
