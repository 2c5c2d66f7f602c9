#include "engine/core/session.h"

#include <algorithm>

#include "engine/core/combine.h"
#include "engine/model/readiness.h"

namespace basalt::engine {

using model::PodGroupPhase;
using model::TaskStatus;

Session::Session(model::ClusterState& cluster, const Policy& rules, Instant at, Rng& chance, CycleMemory& kept)
    : state(cluster), policy(rules), now(at), rng(chance), memory(kept) {}
Session::~Session() = default;

ColumnContext Session::columns() {
  return {.state = state,
          .hooks = hooks,
          .verdicts = memory.verdicts,
          .by_rank = memory.classes.by_rank(),
          .rank_of = memory.classes.rank_of()};
}

void Session::open() {
  for (size_t j = 0; j < state.job_rows(); ++j) {
    const model::Job& job = state.job(JobId(j));
    if (!job.schedulable()) continue;
    jobs_.push_back(JobId(j));
    if (job.count(TaskStatus::Pending) > 0) waiting_jobs_.push_back(JobId(j));
  }
  gang_conditions_.assign(state.job_rows(), std::nullopt);
  touched_jobs_.assign(state.job_rows(), 0);
  old_phases_.assign(state.job_rows(), std::nullopt);
  for (const Policy::Plugin& plugin : policy.plugins) {
    plugins_.push_back(plugin.make());
    HookBinder binder(hooks, plugin.flags, plugin.tier);
    plugins_.back()->open(*this, binder);
  }
  Fingerprint epoch;
  epoch.add(policy.fingerprint);
  notify(hooks.sign_epoch, epoch);
  memory.classes.open(state, epoch.value());
}

// ---- orders -----------------------------------------------------------------------------------------------------

Order Session::order_of_jobs(JobId a, JobId b) const { return first_nonzero(hooks.job_order, a, b); }

bool Session::job_before(JobId a, JobId b) const {
  if (const Order order = order_of_jobs(a, b); order != 0) return order < 0;
  const model::Job& left = state.job(a);
  const model::Job& right = state.job(b);
  if (left.created != right.created) return left.created < right.created;
  return left.id < right.id;
}

bool Session::queue_before(QueueId a, QueueId b) const {
  if (const Order order = first_nonzero(hooks.queue_order, a, b); order != 0) return order < 0;
  const model::Queue& left = state.queue(a);
  const model::Queue& right = state.queue(b);
  if (left.created != right.created) return left.created < right.created;
  return left.name < right.name;
}

bool Session::task_before(TaskId a, TaskId b) const {
  if (const Order order = first_nonzero(hooks.task_order, a, b); order != 0) return order < 0;
  const model::Task& left = state.task(a);
  const model::Task& right = state.task(b);
  // Tasks without an index come after those with one: a total order even for mixed names.
  if (left.name_index != right.name_index) {
    if (left.name_index < 0 || right.name_index < 0) return right.name_index < 0;
    return left.name_index < right.name_index;
  }
  if (left.created != right.created) return left.created < right.created;
  return left.uid < right.uid;
}

void Session::sort_tasks(std::vector<TaskId>& tasks) const {
  const auto before = [this](TaskId a, TaskId b) { return task_before(a, b); };
  if (!std::is_sorted(tasks.begin(), tasks.end(), before)) std::sort(tasks.begin(), tasks.end(), before);
}

bool Session::sub_job_before(JobId job, uint32_t a, uint32_t b) const {
  if (const Order order = first_nonzero(hooks.sub_job_order, job, a, b); order != 0) return order < 0;
  const model::SubJob& left = state.job(job).sub_jobs[a];
  const model::SubJob& right = state.job(job).sub_jobs[b];
  if (left.match_index != right.match_index) return left.match_index < right.match_index;
  return left.id < right.id;
}

bool Session::victim_queue_before(QueueId a, QueueId b, QueueId preemptor) const {
  if (const Order order = first_nonzero(hooks.victim_queue_order, a, b, preemptor); order != 0) return order < 0;
  return !queue_before(a, b);
}

// ---- questions --------------------------------------------------------------------------------------------------

std::optional<Invalid> Session::job_invalid(JobId job) const {
  for (const auto& entry : hooks.job_valid.entries) {
    if (auto invalid = entry.hook(job)) return invalid;
  }
  return std::nullopt;
}

bool Session::job_ready(JobId job) const { return all_of(hooks.job_ready, job); }
bool Session::job_pipelined(JobId job) const { return vote_by_tier(hooks.job_pipelined, job); }
bool Session::job_starving(JobId job) const { return first_tier_all(hooks.job_starving, job); }

bool Session::sub_job_ready(JobId job, uint32_t sub) const {
  if (state.job(job).sub_groups.empty()) return job_ready(job);
  return all_of(hooks.sub_job_ready, job, sub);
}
bool Session::sub_job_pipelined(JobId job, uint32_t sub) const {
  if (state.job(job).sub_groups.empty()) return job_pipelined(job);
  return vote_by_tier(hooks.sub_job_pipelined, job, sub);
}

bool Session::job_enqueueable(JobId job) const { return vote_by_tier(hooks.job_enqueueable, job); }
void Session::job_enqueued(JobId job) { notify(hooks.job_enqueued, job); }
bool Session::overused(QueueId queue) const { return any_of(hooks.overused, queue); }
bool Session::allocatable(QueueId queue, TaskId task) const { return all_of(hooks.allocatable, queue, task); }
bool Session::preemptive(QueueId queue, TaskId task) const { return all_of(hooks.preemptive, queue, task); }

std::vector<TaskId> Session::preemptable(TaskId preemptor, std::span<const TaskId> candidates) const {
  return intersect_by_tier(hooks.preemptable, policy.preempt_rule, preemptor, candidates);
}
std::vector<TaskId> Session::reclaimable(TaskId preemptor, std::span<const TaskId> candidates) const {
  return intersect_by_tier(hooks.reclaimable, policy.reclaim_rule, preemptor, candidates);
}

bool Session::is_pending(JobId job) const {
  const PodGroupPhase phase = state.job(job).status.phase;
  return phase == PodGroupPhase::None || phase == PodGroupPhase::Pending;
}

// ---- records ----------------------------------------------------------------------------------------------------

void Session::refuse_enqueue(JobId job, std::string_view plugin, std::string message) {
  result.report.refusals.push_back({.job = job, .plugin = plugin, .message = std::move(message)});
}

void Session::record_failure(TaskId task, FitFailure failure) {
  result.report.failures.push_back(std::move(failure));
  record_failure(task, static_cast<uint32_t>(result.report.failures.size() - 1));
}

void Session::record_failure(TaskId task, uint32_t failure) {
  attempts_[task].failure = failure;
  touch_job(state.task(task).job);
}

void Session::record_attempt(TaskId task, TaskStatus last, NodeId node) {
  Attempt& attempt = attempts_[task];
  attempt.last = last;
  attempt.node = node;
  touch_job(state.task(task).job);
}

void Session::forget_attempt(TaskId task) {
  if (auto at = attempts_.find(task); at != attempts_.end()) at->second.last = TaskStatus::Pending;
}

const Attempt* Session::attempt(TaskId task) const {
  auto at = attempts_.find(task);
  return at == attempts_.end() ? nullptr : &at->second;
}

void Session::set_phase(JobId job, PodGroupPhase phase) {
  if (!old_phases_[job]) old_phases_[job] = state.job(job).status.phase;
  state.set_phase(job, phase);
  touch_job(job);
}

bool Session::role_failed(JobId job, uint32_t sub, uint32_t role) const {
  return failed_roles_.contains({job, {sub, role}});
}

void Session::clear_failed_roles(JobId job, uint32_t sub) {
  std::erase_if(failed_roles_, [&](const auto& failed) { return failed.first == job && failed.second.first == sub; });
}

// ---- failure memory ---------------------------------------------------------------------------------------------

JobFailure Session::failure_inputs(JobId job) const {
  Fingerprint inputs;
  notify(hooks.job_inputs, job, inputs);
  return {.job_version = state.job(job).version,
          .freed_version = state.freed_version(),
          .placed_version = state.placed_version(),
          .inputs = inputs.value()};
}

bool Session::remembers_failure(JobId job) const {
  if (!memory.failures.contains(job) || memory.failures[job].job_version == 0) return false;
  const JobFailure& failed = memory.failures[job];
  JobFailure now_inputs = failure_inputs(job);
  if (failed.placed_version == 0) now_inputs.placed_version = 0;
  return failed == now_inputs;
}

void Session::remember_failure(JobId job, bool placed_some) {
  memory.failures.ensure(job);
  memory.failures[job] = failure_inputs(job);
  if (!placed_some) memory.failures[job].placed_version = 0;
}

// ---- placement --------------------------------------------------------------------------------------------------

void Session::notify_allocated(TaskId task) { notify(hooks.on_allocate, task); }
void Session::notify_deallocated(TaskId task) { notify(hooks.on_deallocate, task); }

void Session::bind_task(TaskId task) {
  const NodeId node = state.task(task).node;
  state.move_task(task, TaskStatus::Binding, node, /*in_view=*/true);
  state.note_placed();
  result.decisions.binds.push_back({.task = task, .node = node});
  forget_attempt(task);
}

void Session::allocate_directly(TaskId task, NodeId node) {
  state.move_task(task, TaskStatus::Allocated, node, /*in_view=*/true);
  held_.push_back({.task = task, .node = node, .evicted = false});
  notify_allocated(task);
  const JobId job = state.task(task).job;
  touch_job(job);
  if (!job_ready(job)) return;
  std::vector<TaskId> allocated;
  for (const TaskId member : state.job(job).tasks) {
    if (state.task(member).status == TaskStatus::Allocated) allocated.push_back(member);
  }
  sort_tasks(allocated);
  for (const TaskId member : allocated) bind_task(member);
}

bool Session::evicted_for(TaskId task) const {
  return std::any_of(held_.begin(), held_.end(),
                     [&](const Pipelined& held) { return held.task == task && held.evicted; });
}

void Session::undo_pipeline(TaskId task) {
  state.move_task(task, TaskStatus::Pending, NodeId(), /*in_view=*/false);
  notify_deallocated(task);
  std::erase_if(held_, [&](const Pipelined& held) { return held.task == task; });
}

}  // namespace basalt::engine
