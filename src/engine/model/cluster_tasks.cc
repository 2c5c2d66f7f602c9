// Events about tasks.
#include <charconv>

#include "engine/model/cluster_state.h"

namespace basalt::model {

namespace {

// "run-worker-12" → 12. Names with fewer than three parts, or without a number at the end, have no index.
int64_t index_in_name(std::string_view name) {
  const size_t last = name.rfind('-');
  if (last == std::string_view::npos || name.find('-') == last) return -1;
  int64_t index = -1;
  const char* end = name.data() + name.size();
  auto [at, error] = std::from_chars(name.data() + last + 1, end, index);
  return error == std::errc() && at == end && index >= 0 ? index : -1;
}

}  // namespace

void ClusterState::fill_task(Task& task, const TaskSpec& spec) {
  task.name = spec.name;
  task.uid = spec.uid;
  task.ns = names.intern(spec.ns);
  task.shape = spec.shape;
  task.labels = spec.labels;
  task.status = spec.status;
  task.role = spec.role;
  task.priority_class = spec.priority_class;
  task.priority = spec.priority;
  task.pod_priority = spec.pod_priority;
  task.name_index = index_in_name(spec.name);
  task.created = spec.created;
  task.started = spec.started;
  task.scheduled_at = spec.scheduled_at;
  task.cooldown = spec.cooldown;
  task.best_effort = shapes[spec.shape].best_effort;
  task.preemptable = spec.preemptable;
  task.revocable = spec.revocable;
  task.gated = spec.gated;
  task.only_queue_gate = spec.only_queue_gate;
  task.gate_opt_in = spec.gate_opt_in;
  task.gates = spec.gates;
  task.never_preempts = spec.never_preempts;
  task.preemption_target = spec.preemption_target;
  task.nominated_name = names.intern(spec.nominated_node);
  task.generation = ++task_generation_;
  task.class_note_epoch = 0;
  task.alive = true;
  if (shapes[spec.shape].has_pod_terms()) ++pod_term_tasks_;
}

bool ClusterState::says_nothing_new(const Task& task, const TaskSpec& spec) const {
  const bool on_node = !spec.node_name.empty() && is_on_node(spec.status);
  const bool same_node =
      on_node ? task.node.valid() && task.in_view && nodes_[task.node].name == spec.node_name : !task.node.valid();
  const bool same_job = spec.group.empty() ? !task.job.valid() : task.job.valid() && jobs_[task.job].name == spec.group;
  // A cycle may have given a nomination up, in memory only: the object's word restores it.
  const bool nomination_stands = spec.nominated_node.empty() || task.nominated.valid() || task.nominated_unknown;
  return same_node && same_job && nomination_stands && task.status == spec.status && task.shape == spec.shape &&
         task.labels == spec.labels && task.role == spec.role && task.priority_class == spec.priority_class &&
         task.priority == spec.priority && task.pod_priority == spec.pod_priority && task.created == spec.created &&
         task.started == spec.started && task.scheduled_at == spec.scheduled_at && task.cooldown == spec.cooldown &&
         task.preemptable == spec.preemptable && task.revocable == spec.revocable && task.gated == spec.gated &&
         task.only_queue_gate == spec.only_queue_gate && task.gate_opt_in == spec.gate_opt_in &&
         task.gates == spec.gates && task.never_preempts == spec.never_preempts &&
         task.preemption_target == spec.preemption_target && names.text(task.nominated_name) == spec.nominated_node &&
         task.name == spec.name && names.text(task.ns) == spec.ns;
}

TaskId ClusterState::upsert_task(const TaskSpec& spec) {
  widen_tables();
  // An update that only confirms our own bind frees nothing; everything else about a known pod may.
  bool may_free = false;
  if (const auto known = task_ids_.find(spec.uid); known != task_ids_.end()) {
    const Task& old = tasks_[known->second];
    if (says_nothing_new(old, spec)) return known->second;
    may_free = !(is_allocated(old.status) && is_allocated(spec.status) && old.shape == spec.shape &&
                 old.node == find_node(spec.node_name));
    label_sets.hold(spec.labels);  // before the old ones go: they may be the same
    take_out(known->second);
  } else {
    label_sets.hold(spec.labels);
  }
  TaskId id;
  if (free_tasks_.empty()) {
    id = tasks_.push_back({});
  } else {
    id = free_tasks_.back();
    free_tasks_.pop_back();
  }
  task_ids_.emplace(spec.uid, id);
  fill_task(tasks_[id], spec);
  if (const NameId nominated = tasks_[id].nominated_name; nominated != kEmptyName) {
    nominations_[nominated].push_back(id);
    resolve_nominations(nominated);
  }
  // Succeeded and Failed pods keep their node name in the API but hold nothing there.
  if (!spec.node_name.empty() && is_on_node(spec.status)) {
    if (const NodeId node = find_node(spec.node_name); node.valid()) {
      attach_to_node(id, node, /*in_view=*/true);
      note_placed();
    } else {
      waiting_for_node_[spec.node_name].push_back(id);
    }
  }
  if (!spec.group.empty()) join_job(id, spec.group);
  event(may_free);
  return id;
}

void ClusterState::remove_task(std::string_view uid) {
  auto at = task_ids_.find(std::string(uid));
  if (at == task_ids_.end()) return;
  take_out(at->second);
  event(/*may_free=*/true);
}

// Everything that refers to the task lets go of it; its row is free.
void ClusterState::take_out(TaskId id) {
  leave_job(id);
  if (tasks_[id].node.valid()) detach_from_node(id);
  for (auto waiting = waiting_for_node_.begin(); waiting != waiting_for_node_.end();) {
    std::erase(waiting->second, id);
    waiting = waiting->second.empty() ? waiting_for_node_.erase(waiting) : std::next(waiting);
  }
  if (auto nominated = nominations_.find(tasks_[id].nominated_name); nominated != nominations_.end()) {
    std::erase(nominated->second, id);
    if (nominated->second.empty()) nominations_.erase(nominated);
  }
  if (shapes[tasks_[id].shape].has_pod_terms()) --pod_term_tasks_;
  label_sets.release(tasks_[id].labels);
  task_ids_.erase(tasks_[id].uid);
  tasks_[id] = Task();
  free_tasks_.push_back(id);
}

// A nomination holds a name: the node may leave and come back, on another row.
void ClusterState::resolve_nominations(NameId name) {
  auto at = nominations_.find(name);
  if (at == nominations_.end()) return;
  const NodeId node = find_node(names.text(name));
  for (const TaskId id : at->second) {
    tasks_[id].nominated = node;
    tasks_[id].nominated_unknown = !node.valid();
  }
}

TaskId ClusterState::find_task(std::string_view uid) const {
  auto at = task_ids_.find(std::string(uid));
  return at == task_ids_.end() ? TaskId() : at->second;
}

void ClusterState::join_job(TaskId id, std::string_view group) {
  Task& task = tasks_[id];
  task.job = job_row(names.text(task.ns), group);
  Job& job = jobs_[task.job];
  ++job.version;
  task.slot_in_job = static_cast<uint32_t>(job.tasks.size());
  job.tasks.push_back(id);
  place_in_job(id);
}

void ClusterState::leave_job(TaskId id) {
  Task& task = tasks_[id];
  if (!task.job.valid()) return;
  const JobId job_id = task.job;
  Job& job = jobs_[job_id];
  ++job.version;
  count_in_job(id, -1);
  job.total.sub(shapes[task.shape].request);
  if (task.gated && !task.only_queue_gate) job.gated.sub(shapes[task.shape].request);
  SubJob& sub = job.sub_jobs[task.sub_job_index];
  sub.tasks[task.slot_in_sub_job] = sub.tasks.back();
  tasks_[sub.tasks.back()].slot_in_sub_job = task.slot_in_sub_job;
  sub.tasks.pop_back();
  job.tasks[task.slot_in_job] = job.tasks.back();
  tasks_[job.tasks.back()].slot_in_job = task.slot_in_job;
  job.tasks.pop_back();
  task.job = JobId();
  drop_job_if_unused(job_id);
}

}  // namespace basalt::model
