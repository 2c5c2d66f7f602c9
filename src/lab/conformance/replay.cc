#include "lab/conformance/replay.h"

#include <algorithm>
#include <chrono>

#include "control/scheduler/state/report_text.h"
#include "control/scheduler/state/specs.h"
#include "engine/model/readiness.h"

namespace basalt::lab {

namespace {

std::string node_name(const model::ClusterState& state, model::NodeId id) {
  return id.valid() ? state.node(id).name : std::string();
}

// The phase a job has when no plugin has judged it yet: a gang that cannot be scheduled is not Unknown here.
model::PodGroupPhase phase_before_close(const model::Job& job) {
  const int32_t scheduled = model::scheduled_tasks(job.counts) + job.releasing_on_node;
  if (scheduled >= job.min_available) {
    const bool completed = scheduled == model::completed_tasks(job.counts);
    return completed ? model::PodGroupPhase::Completed : model::PodGroupPhase::Running;
  }
  const bool inqueue = job.status.phase == model::PodGroupPhase::Inqueue;
  return inqueue ? model::PodGroupPhase::Inqueue : model::PodGroupPhase::Pending;
}

// Looks at the state when the actions have ended and nothing tentative is undone yet.
class EndOfActions final : public engine::CycleObserver {
 public:
  EndOfActions(const model::ClusterState& state, CycleOutcome& out) : state_(state), out_(out) {}

  void phase(std::string_view name) override {
    if (seen_ || (name != "close" && name != "done")) return;
    seen_ = true;
    for (size_t j = 0; j < state_.job_rows(); ++j) {
      const model::Job& job = state_.job(model::JobId(j));
      if (!job.schedulable()) continue;
      out_.phases_before[job.id] = model::to_string(phase_before_close(job));
      for (const model::TaskId id : job.tasks) {
        const model::Task& task = state_.task(id);
        out_.tasks[pod_key(state_, id)] = {
            .job = job.id, .status = std::string(model::to_string(task.status)), .node = node_name(state_, task.node)};
      }
    }
  }

 private:
  const model::ClusterState& state_;
  CycleOutcome& out_;
  bool seen_ = false;
};

}  // namespace

std::string pod_key(const model::ClusterState& state, model::TaskId id) {
  const model::Task& task = state.task(id);
  return std::string(state.names.text(task.ns)) + "/" + task.name;
}

Replay::Replay(const RecordedCase& recorded)
    : recorded_(recorded),
      updater_(state_, {.scheduler_names = {"volcano", ""},
                        .every_pod = recorded.kind == CaseKind::Unit,  // unit tests put pods into the cache directly
                        .default_queue = recorded.default_queue}) {}

Result<std::unique_ptr<Replay>> Replay::start(const RecordedCase& recorded) {
  std::unique_ptr<Replay> replay(new Replay(recorded));
  for (const api::AnyObject& object : recorded.objects) {
    if (auto ok = replay->apply(object); !ok) return std::unexpected(ok.error());
  }
  return replay;
}

Result<void> Replay::apply(const api::AnyObject& object) {
  if (auto ok = updater_.apply(object); !ok) return ok;
  if (const auto* pod = std::get_if<api::Pod>(&object)) pods_.insert_or_assign(state::task_uid(*pod), *pod);
  if (const auto* group = std::get_if<api::PodGroup>(&object)) groups_.insert_or_assign(group->metadata.key(), *group);
  return {};
}

api::Pod* Replay::find_pod(const std::string& key) {
  const auto at = std::ranges::find_if(pods_, [&](const auto& entry) { return entry.second.metadata.key() == key; });
  return at == pods_.end() ? nullptr : &at->second;
}

Result<void> Replay::apply_event(const CaseEvent& event) {
  for (const auto& [pods, phase] : {std::pair(&event.finish, "Succeeded"), std::pair(&event.fail, "Failed")}) {
    for (const std::string& key : *pods) {
      api::Pod* pod = find_pod(key);
      if (pod == nullptr || pod->spec.node_name.empty()) continue;
      pod->status.phase = phase;
      if (auto ok = updater_.apply(*pod); !ok) return ok;
    }
  }
  for (const std::string& key : event.remove) {
    const api::Pod* pod = find_pod(key);
    if (pod == nullptr) continue;
    updater_.remove(*pod);
    pods_.erase(state::task_uid(*pod));
  }
  for (const api::AnyObject& object : event.add) {
    if (auto ok = apply(object); !ok) return ok;
  }
  return {};
}

CycleOutcome Replay::run_cycle(const engine::Policy& policy) {
  CycleOutcome out;
  EndOfActions observer(state_, out);
  Rng rng(1);
  const Instant now = kReplayStart + Duration::seconds(cycle_++);
  const auto begin = std::chrono::steady_clock::now();
  const engine::CycleResult result = engine::run_cycle(state_, policy, now, rng, {.observer = &observer});
  out.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  note_decisions(result.decisions, out);
  note_statuses(result.report);
  for (size_t j = 0; j < state_.job_rows(); ++j) {
    const model::Job& job = state_.job(model::JobId(j));
    if (job.schedulable()) out.phases_after[job.id] = model::to_string(job.status.phase);
  }
  return out;
}

void Replay::note_decisions(const engine::Decisions& decisions, CycleOutcome& out) {
  last_binds_.clear();
  last_evicts_.clear();
  last_nominations_.clear();
  last_opened_.clear();
  for (const model::TaskId task : decisions.gate_removals) last_opened_.push_back(state_.task(task).uid);
  const auto note_job = [&](model::TaskId task) {
    const model::JobId job = state_.task(task).job;
    if (!job.valid()) return;
    out.job_of[pod_key(state_, task)] = state_.job(job).id;
    out.queue_of[state_.job(job).id] = state_.job(job).queue;
  };
  for (const engine::Bind& bind : decisions.binds) {
    out.binds[pod_key(state_, bind.task)] = node_name(state_, bind.node);
    note_job(bind.task);
    last_binds_.emplace_back(state_.task(bind.task).uid, node_name(state_, bind.node));
  }
  for (const engine::Evict& evict : decisions.evicts) {
    out.evicts.push_back(pod_key(state_, evict.task));
    note_job(evict.task);
    last_evicts_.push_back(state_.task(evict.task).uid);
  }
  std::sort(out.evicts.begin(), out.evicts.end());
  for (const engine::Pipelined& waiting : decisions.pipelined) {
    out.pipelined[pod_key(state_, waiting.task)] = node_name(state_, waiting.node);
    note_job(waiting.task);
    if (waiting.evicted) last_nominations_.emplace_back(state_.task(waiting.task).uid, node_name(state_, waiting.node));
  }
}

// What the pod groups are told. Made at once: the report names rows that the next event may recycle.
void Replay::note_statuses(const engine::CycleReport& report) {
  last_statuses_.clear();
  const engine::VerdictTable* verdicts = state::verdicts_of(state_);
  if (verdicts == nullptr) return;
  const state::ReportText words(report, state_, *verdicts);
  for (const engine::JobReport& job : report.jobs) {
    api::PodGroupStatus status{.phase = std::string(model::to_string(job.status.phase)),
                               .running = job.status.running,
                               .succeeded = job.status.succeeded,
                               .failed = job.status.failed};
    for (const model::Condition& condition : words.pod_group_conditions(job, job.status.conditions)) {
      status.conditions.push_back({.type = condition.type,
                                   .status = condition.status,
                                   .reason = condition.reason,
                                   .message = condition.message});
    }
    last_statuses_.emplace_back(state_.job(job.job).id, std::move(status));
  }
}

Result<void> Replay::settle() {
  for (const auto& [uid, node] : last_binds_) {
    api::Pod& pod = pods_.at(uid);
    pod.spec.node_name = node;
    pod.status.phase = "Running";
    if (auto ok = updater_.apply(pod); !ok) return ok;
  }
  for (const std::string& uid : last_opened_) {
    api::Pod& pod = pods_.at(uid);
    pod.spec.scheduling_gates.clear();  // it is the pod's only one
    if (auto ok = updater_.apply(pod); !ok) return ok;
  }
  for (const std::string& uid : last_evicts_) {
    updater_.remove(pods_.at(uid));
    pods_.erase(uid);
  }
  for (const auto& [uid, node] : last_nominations_) {
    const auto pod = pods_.find(uid);
    if (pod == pods_.end()) continue;
    pod->second.status.nominated_node_name = node;
    if (auto ok = updater_.apply(pod->second); !ok) return ok;
  }
  for (auto& [key, status] : last_statuses_) {
    const auto group = groups_.find(key);
    if (group == groups_.end()) continue;
    group->second.status = status;
    if (auto ok = updater_.apply(group->second); !ok) return ok;
  }
  for (const CaseEvent& event : recorded_.events) {
    if (event.after_cycle != cycle_) continue;
    if (auto ok = apply_event(event); !ok) return ok;
  }
  return {};
}

}  // namespace basalt::lab
