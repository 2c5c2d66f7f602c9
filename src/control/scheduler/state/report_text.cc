#include "control/scheduler/state/report_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "engine/core/cycle_memory.h"

namespace basalt::state {

namespace {

using model::TaskStatus;

// "2 this, 3 that", sorted as texts: so "10 x" comes before "2 y", as in Volcano.
std::string histogram(const std::map<std::string, int32_t>& counts) {
  std::vector<std::string> entries;
  for (const auto& [what, count] : counts) entries.push_back(fmt::format("{} {}", count, what));
  std::sort(entries.begin(), entries.end());
  return fmt::format("{}", fmt::join(entries, ", "));
}

int32_t task_count(const engine::JobReport& job) { return std::accumulate(job.counts.begin(), job.counts.end(), 0); }

int32_t pending_count(const engine::JobReport& job) { return job.counts[model::slot(TaskStatus::Pending)]; }

// What was done, by the name of the action that did it.
std::string_view deed_of(std::string_view action) { return action == "reclaim" ? "reclaimed" : "preempted"; }

std::string pods_words(size_t pods) { return fmt::format("{} pod{}", pods, pods == 1 ? "" : "s"); }

constexpr std::string_view kSchedulable = "Schedulable";
constexpr std::string_view kUnschedulable = "Unschedulable";

}  // namespace

std::string ReportText::pod_name(model::TaskId task) const {
  return fmt::format("{}/{}", state_.names.text(state_.task(task).ns), state_.task(task).name);
}

std::string ReportText::node_name(model::NodeId node) const { return node.valid() ? state_.node(node).name : ""; }

std::string ReportText::fit_text(model::TaskId task, const engine::FitFailure& failure) const {
  using Kind = engine::FitFailure::Kind;
  const model::Task& row = state_.task(task);
  if (failure.kind == Kind::RoleFailedBefore) {
    return fmt::format("Task {} with role spec {} has already predicated failed, skip", row.name,
                       state_.names.text(row.role));
  }
  if (failure.kind == Kind::QueueRefused) {
    if (!row.job.valid()) return "the queue has no room left for the request of this pod";
    const model::Job& job = state_.job(row.job);
    if (job.queue_id.valid() && state_.queue(job.queue_id).state != model::QueueState::Open) {
      return fmt::format("queue {} is not open", job.queue);
    }
    return fmt::format("queue {} has no room left for the request of this pod", job.queue);
  }
  std::map<std::string, int32_t> counts;
  for (const auto& [reason, count] : failure.reasons) counts[std::string(verdicts_.text(reason))] += count;
  const std::string head = fmt::format("0/{} nodes are unavailable", failure.nodes);
  return counts.empty() ? head : fmt::format("{}: {}.", head, histogram(counts));
}

std::string ReportText::job_fit_text(const engine::JobReport& job) const {
  std::map<std::string, int32_t> counts;
  for (size_t s = 0; s < model::kTaskStatuses; ++s) {
    const auto status = static_cast<TaskStatus>(s);
    if (job.counts[s] > 0) counts[std::string(model::to_string(status))] = job.counts[s];
  }
  counts["minAvailable"] = state_.job(job.job).min_available;
  std::string out = fmt::format("pod group is {}, {}", job.ready ? "ready" : "not ready", histogram(counts));

  if (const int32_t pending = pending_count(job); pending > 0) {
    std::map<std::string, int32_t> reasons;
    for (const engine::TaskReport& task : job.tasks) {
      const bool is_pending = state_.task(task.task).status == TaskStatus::Pending;
      if (is_pending && task.last == TaskStatus::Allocated) ++reasons[std::string(kSchedulable)];
    }
    const int32_t schedulable = reasons.empty() ? 0 : std::min(pending, reasons.begin()->second);
    if (pending > schedulable) reasons[std::string(kUnschedulable)] = pending - schedulable;
    out += "; Pending: " + histogram(reasons);
  }
  if (job.origin) {
    const auto origin = std::find_if(job.tasks.begin(), job.tasks.end(),
                                     [&](const engine::TaskReport& task) { return task.task == *job.origin; });
    if (origin != job.tasks.end() && origin->failure) {
      out += fmt::format(". Origin reason is {}: {}", state_.task(origin->task).name,
                         fit_text(origin->task, report_.failures[*origin->failure]));
    }
  }
  return out;
}

std::optional<model::Condition> ReportText::pod_group_condition(const engine::JobReport& job) const {
  if (!job.gang) return std::nullopt;
  if (job.gang->schedulable) {
    return model::Condition{
        .type = "Scheduled", .status = "True", .reason = "tasks in gang are ready to be scheduled", .message = ""};
  }
  return model::Condition{.type = "Unschedulable",
                          .status = "True",
                          .reason = "NotEnoughResources",
                          .message = fmt::format("{}/{} tasks in gang unschedulable: {}", job.gang->missing,
                                                 task_count(job), job_fit_text(job))};
}

std::vector<model::Condition> ReportText::pod_group_conditions(const engine::JobReport& job,
                                                               std::vector<model::Condition> written) const {
  auto made = pod_group_condition(job);
  if (!made) return written;
  const auto slot = std::find_if(written.begin(), written.end(),
                                 [&](const model::Condition& condition) { return condition.type == made->type; });
  if (slot == written.end()) {
    written.push_back(std::move(*made));
  } else {
    *slot = std::move(*made);
  }
  return written;
}

PodCondition ReportText::pod_condition(const engine::JobReport& job, const engine::TaskReport& task) const {
  if (task.last == TaskStatus::Allocated) {
    return {.reason = std::string(kSchedulable),
            .message = fmt::format("Pod {} can possibly be assigned to {}, once minAvailable is satisfied",
                                   pod_name(task.task), node_name(task.node))};
  }
  if (task.last == TaskStatus::Pipelined) {
    return {.reason = std::string(kUnschedulable),
            .message = fmt::format(
                "Pod {} can possibly be assigned to {}, once resource is released and minAvailable is satisfied",
                pod_name(task.task), node_name(task.node)),
            .nominated_node = task.nominate ? node_name(task.node) : ""};
  }
  return {.reason = std::string(kUnschedulable),
          .message = task.failure ? fit_text(task.task, report_.failures[*task.failure]) : job_fit_text(job)};
}

std::optional<EventText> ReportText::pod_group_event(const engine::JobReport& job) const {
  using model::PodGroupPhase;
  const PodGroupPhase phase = job.status.phase;
  if (phase == PodGroupPhase::Pending || phase == PodGroupPhase::Inqueue || phase == PodGroupPhase::Unknown) {
    if (pending_count(job) == 0) return std::nullopt;  // nobody waits: it has no pods yet, or all are on their way
    return EventText{.type = "Warning",
                     .reason = std::string(kUnschedulable),
                     .message = fmt::format("{}/{} tasks in gang unschedulable: {}", pending_count(job),
                                            task_count(job), job_fit_text(job))};
  }
  if (!job.changed) return std::nullopt;
  return EventText{.type = "Normal", .reason = "Scheduled", .message = "pod group is ready"};
}

EventText ReportText::refusal_event(const engine::EnqueueRefusal& refusal) const {
  return {.type = "Normal", .reason = std::string(kUnschedulable), .message = refusal.message};
}

EventText ReportText::bound_event(const engine::Bind& bind) const {
  return {.type = "Normal",
          .reason = "Scheduled",
          .message = fmt::format("Successfully assigned {} to {}", pod_name(bind.task), node_name(bind.node))};
}

EventText ReportText::evicted_pod_event(const engine::Evict& evict) const {
  return {.type = "Warning", .reason = "Evict", .message = fmt::format("Pod is evicted, because of {}", evict.reason)};
}

EventText ReportText::evicted_group_event(const engine::Evict& evict) const {
  return {.type = "Normal", .reason = "Evict", .message = std::string(evict.reason)};
}

std::string ReportText::in_words(const Side& side) const {
  const model::Job& job = state_.job(side.job);
  return fmt::format("{} (priority {}) in queue {}", side.name, job.priority, job.queue);
}

EventText ReportText::preempted_event(const engine::Evict& evict, const Side& by) const {
  return {.type = "Warning",
          .reason = "Preempted",
          .message = fmt::format("{} by {}", deed_of(evict.reason), in_words(by))};
}

EventText ReportText::lost_pods_event(const engine::Evict& evict, size_t pods, const Side& by) const {
  return {.type = "Warning",
          .reason = "Preempted",
          .message = fmt::format("{} {} by {}", pods_words(pods), deed_of(evict.reason), in_words(by))};
}

EventText ReportText::won_room_event(const engine::Evict& evict, size_t pods, const Side& from) const {
  return {.type = "Normal",
          .reason = "Preempting",
          .message = fmt::format("{} of {} {} to make room", pods_words(pods), in_words(from), deed_of(evict.reason))};
}

std::vector<model::Condition> eviction_conditions(std::string_view scheduler_name, std::string_view action) {
  const std::string_view what = action == "reclaim" ? "reclaiming to accommodate a pod of a queue that is owed the room"
                                                    : "preempting to accommodate a higher priority pod";
  return {{.type = "Ready", .status = "False", .reason = "Evict", .message = ""},
          {.type = "DisruptionTarget",
           .status = "True",
           .reason = "PreemptionByScheduler",
           .message = fmt::format("{}: {}", scheduler_name, what)}};
}

const engine::VerdictTable* verdicts_of(const model::ClusterState& state) {
  const auto* memory = dynamic_cast<const engine::CycleMemory*>(state.memory.get());
  return memory == nullptr ? nullptr : &memory->verdicts;
}

}  // namespace basalt::state
