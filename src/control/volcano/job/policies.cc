#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "control/volcano/controller_annotations.h"
#include "control/volcano/job/apply_actions.h"
#include "control/volcano/job/delayed_actions.h"
#include "control/volcano/job/job_events.h"
#include "control/volcano/job/kill_job.h"
#include "control/volcano/job/policy/lifecycle_policy.h"
#include "control/volcano/volcano_writes.h"
#include "kube/api/volcano_keys.h"
#include "kube/text/go_duration.h"

namespace basalt::volcano {
namespace {

constexpr Duration kFresh = Duration::seconds(2);  // a delayed action is told of when it is new
constexpr int64_t kNanosPerSecond = 1'000'000'000;

// Whole seconds, as it is written down; never too early.
Instant whole_seconds(Instant at) {
  return Instant::from_unix_seconds((at.nanos + kNanosPerSecond - 1) / kNanosPerSecond);
}

// The events of a job, and what is to be done about them.
class Desk {
 public:
  Desk(WritePlan& plan, const JobSnapshot& snapshot, const text::Object* group, Instant now)
      : plan_(plan),
        picture_(snapshot),
        job_(snapshot.job),
        group_(group),
        now_(now),
        waiting_(delayed_actions(job_)) {}

  PolicyOutcome work() {
    for (const JobEvent& event : events_of(picture_, group_)) {
      const std::string_view task = event.task < 0 ? std::string_view() : task_of(event).name;
      const PolicyDecision resolved = resolve_policy(job_, {.event = event.event,
                                                            .action = {},
                                                            .job_uid = job_.uid,
                                                            .task = task,
                                                            .exit_code = event.exit_code,
                                                            .job_version = job_.version});
      const JobAction action = action_of(resolved.action);
      if (action == JobAction::SyncJob || action == JobAction::Other) continue;
      if (!is_due(event, resolved)) continue;
      if (act(event, action)) return {.acted = ActionOutcome::Yes, .delayed = {}};
    }
    for (const DelayedAction& waiting : waiting_) {
      if (act_on_lost(waiting)) return {.acted = ActionOutcome::Yes, .delayed = {}};
    }
    if (restart_targets()) return {.acted = ActionOutcome::Yes, .delayed = {}};
    if (waiting_.empty() && kept_.empty()) return {};
    const auto order = [](const DelayedAction& one) { return std::tie(one.at, one.event, one.task, one.pod, one.uid); };
    std::ranges::sort(kept_, {}, order);
    std::ranges::sort(waiting_, {}, order);
    if (kept_ == waiting_) return {};
    return {.acted = ActionOutcome::No, .delayed = to_annotation(kept_)};
  }

 private:
  [[nodiscard]] const TaskView& task_of(const JobEvent& event) const {
    return job_.tasks[static_cast<size_t>(event.task)];
  }

  bool is_due(const JobEvent& event, const PolicyDecision& resolved) {
    if (resolved.delay.nanos <= 0) return true;
    const Instant at = event.since.is_set() ? event.since + resolved.delay : remembered_time(event, resolved);
    if (at <= now_) return true;
    plan_.look_again(at);
    const Duration gone{resolved.delay.nanos - (at - now_).nanos};
    if (gone > kFresh) return false;
    std::string words =
        fmt::format("Execute action {} after {}", resolved.action, text::format_duration(resolved.delay));
    if (plan_.notes.empty() || plan_.notes.back().message != words) {
      plan_.notes.push_back(normal(VolcanoKind::Job, *job_.object, "ExecuteAction", std::move(words)));
    }
    return false;
  }

  // When to act on an event that the state gives no time for: as it was written down, or from now on.
  Instant remembered_time(const JobEvent& event, const PolicyDecision& resolved) {
    DelayedAction action{.event = std::string(event.event),
                         .task = event.task < 0 ? std::string() : std::string(task_of(event).key()),
                         .pod = std::string(event.pod),
                         .uid = std::string(event.uid),
                         .action = std::string(resolved.action),
                         .partition = event.partition,
                         .version = job_.version,
                         .at = whole_seconds(now_ + resolved.delay)};
    for (const DelayedAction& one : waiting_) {
      action.at = one.at;
      if (one != action) continue;
      kept_.push_back(one);
      return one.at;
    }
    action.at = whole_seconds(now_ + resolved.delay);
    if (kept_.size() < kMaxDelayedActions) kept_.push_back(action);
    return action.at;
  }

  // An eviction that was seen earlier: its place may have been filled since, but the pod there does not run yet.
  bool act_on_lost(const DelayedAction& waiting) {
    if (waiting.event != "PodEvicted" || waiting.version != job_.version) return false;
    if (std::ranges::find(kept_, waiting) != kept_.end()) return false;
    if (remembered(job_, evicted_key(waiting.pod)) == waiting.uid) return false;
    const auto pod = picture_.seen.pods.find(waiting.pod);
    const bool runs_again = pod != picture_.seen.pods.end() && pod->second.phase == PodPhase::Running;
    const TaskView* task = job_.find_task(waiting.task);
    if (runs_again || task == nullptr) return false;
    kept_.push_back(waiting);
    if (waiting.at > now_) {
      plan_.look_again(waiting.at);
      return false;
    }
    return act({.event = "PodEvicted",
                .task = static_cast<int32_t>(task - job_.tasks.data()),
                .pod = waiting.pod,
                .uid = waiting.uid,
                .index = -1,
                .partition = waiting.partition,
                .exit_code = 0,
                .since = kNever,
                .lost = true},
               action_of(waiting.action));
  }

  // True: the plan is complete.
  bool act(const JobEvent& event, JobAction action) {
    const JobTransition next = picture_.next(action, picture_.effective);
    if (!begins(picture_, next)) return false;
    if (next.call == JobOperation::KillTarget) {
      add_targets(event, action);
      return false;
    }
    if (any_target_) return false;  // one after the other: the restart that came first is begun first
    tell(action);
    write_status(plan_, picture_, kill_draft(picture_, next, group_, to_text(action), why(event, action)), now_);
    return true;
  }

  [[nodiscard]] std::string why(const JobEvent& event, JobAction action) const {
    return fmt::format("{}; policy {} → {}", event.text(job_), event.event, to_text(action));
  }
  void tell(JobAction action) {
    plan_.notes.push_back(normal(VolcanoKind::Job, *job_.object, "ExecuteAction",
                                 fmt::format("Start to execute action {}", to_text(action))));
  }

  // True: the pod is there to be restarted.
  bool target(size_t place) {
    const PodDisposition disposition = picture_.pods[place].disposition;
    if (disposition == PodDisposition::Keep) targets_.insert(place);
    return disposition == PodDisposition::Keep || disposition == PodDisposition::Marked;
  }

  bool target_pod(const JobEvent& event) {
    const auto at = std::ranges::lower_bound(
        picture_.pods, event.pod, {}, [](const TaskPod& task_pod) -> std::string_view { return task_pod.pod->name; });
    if (at == picture_.pods.end() || at->pod->name != event.pod || at->task != event.task) return false;
    return target(static_cast<size_t>(at - picture_.pods.begin()));
  }

  // The pods of a task, or of one partition of it. Every group is walked once, however many events ask for it.
  bool target_group(int32_t task, std::optional<int32_t> partition) {
    const auto [known, is_new] = groups_.try_emplace({task, partition.value_or(-1)}, false);
    for (size_t i = 0; is_new && i < picture_.pods.size(); ++i) {
      const TaskPod& task_pod = picture_.pods[i];
      if (task_pod.task != task || (partition && task_pod.pod->partition != *partition)) continue;
      known->second = target(i) || known->second;
    }
    return known->second;
  }

  bool find_targets(const JobEvent& event, JobAction action) {
    if (event.task < 0) return false;
    if (action == JobAction::RestartPod) return target_pod(event);
    if (action == JobAction::RestartTask) return target_group(event.task, std::nullopt);
    return event.partition >= 0 && target_group(event.task, event.partition);
  }

  void add_targets(const JobEvent& event, JobAction action) {
    const bool found = find_targets(event, action);
    const bool counts_alone = event.lost && action != JobAction::RestartPartition;
    if (!found && !counts_alone) return;  // nobody there to be restarted
    if (event.lost) answered_[evicted_key(event.pod)] = std::string(event.uid);
    if (any_target_) return;
    any_target_ = true;
    action_ = action;
    why_ = why(event, action);
  }

  // Marks what is to be restarted, then counts the retry. Pods that were marked already are waiting for that.
  bool restart_targets() {
    if (!any_target_ && !picture_.has(PodDisposition::Marked)) return false;
    if (!any_target_) {
      action_ = JobAction::RestartPod;
      why_ = "pods are marked for a restart";
    }
    tell(action_);
    const std::string retry = std::to_string(job_.retry_count + 1);
    for (const size_t place : targets_) {
      plan_.write(patch_pod(job_.namespace_name, *picture_.pods[place].pod,
                            {{"metadata", text::Object{{"annotations", text::Object{{api::keys::kOutOfSync, "true"},
                                                                                    {kRestartAnnotation, retry}}}}}}));
    }
    plan_.then();
    JobStatusDraft draft = restart_draft(picture_, to_text(action_), std::move(why_));
    draft.memory = std::move(answered_);
    draft.removed = targets_;
    write_status(plan_, picture_, draft, now_);
    return true;
  }

  WritePlan& plan_;
  const JobSnapshot& picture_;
  const JobView& job_;
  const text::Object* group_;
  Instant now_;
  std::vector<DelayedAction> waiting_, kept_;  // as the annotation has them, and as it should

  std::set<size_t> targets_;                            // places in picture_.pods, to be marked
  std::map<std::pair<int32_t, int32_t>, bool> groups_;  // task and partition that were walked: somebody is there
  ControlledResourcesChange answered_;                  // evictions that this restart answers
  bool any_target_ = false;
  JobAction action_ = JobAction::RestartPod;
  std::string why_;
};

}  // namespace

PolicyOutcome apply_policies(WritePlan& plan, const JobSnapshot& snapshot, const text::Object* group, Instant now) {
  return Desk(plan, snapshot, group, now).work();
}

}  // namespace basalt::volcano
