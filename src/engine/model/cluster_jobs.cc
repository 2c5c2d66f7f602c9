// Events about jobs: the pod group, its roles and sub-jobs, its queue and priority.
#include <algorithm>
#include <charconv>

#include "base/check.h"
#include "base/fingerprint.h"
#include "engine/model/cluster_state.h"

namespace basalt::model {

namespace {

std::string job_key(std::string_view ns, std::string_view name) { return std::string(ns).append("/").append(name); }

constexpr size_t kMaxJoinedValues = 128;  // longer sub-job ids are replaced by a fingerprint

}  // namespace

std::string_view to_string(PodGroupPhase phase) {
  static constexpr std::string_view kNames[] = {"", "Pending", "Inqueue", "Running", "Unknown", "Completed"};
  return kNames[static_cast<size_t>(phase)];
}

JobId ClusterState::job_row(std::string_view ns, std::string_view name) {
  auto [at, is_new] = job_ids_.try_emplace(job_key(ns, name), JobId());
  if (!is_new) return at->second;
  if (free_jobs_.empty()) {
    at->second = jobs_.push_back({});
  } else {
    at->second = free_jobs_.back();
    free_jobs_.pop_back();
  }
  Job& job = jobs_[at->second];
  job.alive = true;
  job.id = at->first;
  job.ns = ns;
  job.name = name;
  return at->second;
}

JobId ClusterState::upsert_job(JobSpec spec) {
  const JobId id = job_row(spec.ns, spec.name);
  Job& job = jobs_[id];
  if (job.has_pod_group) {
    if (static_cast<const JobSpec&>(job) == spec) return id;  // mostly the echo of our own status write
    std::swap(job.status, spec.status);
    if (static_cast<const JobSpec&>(job) == spec) {
      event(/*may_free=*/false);
      return id;
    }
    std::swap(job.status, spec.status);
  }
  static_cast<JobSpec&>(job) = std::move(spec);
  job.has_pod_group = true;
  job.min_task_total = 0;
  for (const auto& [role, minimum] : job.min_task_member) job.min_task_total += minimum;
  resolve_priority(job);
  resolve_queue(id);
  rebuild_job(id);
  event(/*may_free=*/false);  // its own version moved; others gain nothing from it
  return id;
}

void ClusterState::remove_job(std::string_view ns, std::string_view name) {
  const JobId id = find_job(ns, name);
  if (!id.valid() || !jobs_[id].has_pod_group) return;
  Job& job = jobs_[id];
  JobSpec bare;
  bare.ns = job.ns;
  bare.name = job.name;
  static_cast<JobSpec&>(job) = std::move(bare);
  job.has_pod_group = false;
  job.min_task_total = 0;
  job.priority = 0;
  resolve_queue(id);
  rebuild_job(id);
  event(/*may_free=*/true);
  drop_job_if_unused(id);
}

void ClusterState::set_job_status(JobId id, PodGroupStatus status) { jobs_[id].status = std::move(status); }

void ClusterState::drop_job_if_unused(JobId id) {
  Job& job = jobs_[id];
  if (job.has_pod_group || !job.tasks.empty()) return;
  job_ids_.erase(job.id);
  const uint64_t version = job.version + 1;
  job = Job();
  job.version = version;
  free_jobs_.push_back(id);
}

void ClusterState::resolve_queue(JobId id) {
  Job& job = jobs_[id];
  const QueueId queue = job.has_pod_group ? find_queue(job.queue) : QueueId();
  if (queue == job.queue_id) return;
  job.queue_id = queue;
  for (const TaskId task : job.tasks) tasks_[task].class_note_epoch = 0;  // a class may be signed by its queue
}

void ClusterState::resolve_priority(Job& job) const {
  job.priority = 0;
  if (auto named = priority_classes_.find(job.priority_class); named != priority_classes_.end()) {
    job.priority = named->second.value;
    return;
  }
  for (const auto& [name, cls] : priority_classes_) {
    if (cls.global_default) job.priority = cls.value;
  }
}

void ClusterState::upsert_priority_class(std::string_view name, int32_t value, bool global_default) {
  priority_classes_[std::string(name)] = {.value = value, .global_default = global_default};
  for (Job& job : jobs_) {
    if (job.alive && job.has_pod_group) resolve_priority(job);
  }
  event(/*may_free=*/true);
}

void ClusterState::remove_priority_class(std::string_view name) {
  auto at = priority_classes_.find(name);
  if (at == priority_classes_.end()) return;
  priority_classes_.erase(at);
  for (Job& job : jobs_) {
    if (job.alive && job.has_pod_group) resolve_priority(job);
  }
  event(/*may_free=*/true);
}

JobId ClusterState::find_job(std::string_view ns, std::string_view name) const {
  auto at = job_ids_.find(job_key(ns, name));
  return at == job_ids_.end() ? JobId() : at->second;
}

// Roles and sub-jobs follow from the pod group and the tasks; they are built anew when the pod group changes.
void ClusterState::rebuild_job(JobId id) {
  Job& job = jobs_[id];
  ++job.version;
  job.roles.clear();
  job.sub_jobs.clear();
  job.counts = {};
  job.pending_best_effort = 0;
  job.releasing_on_node = 0;
  job.allocated = job.pending = job.total = job.gated = ResourceVec();
  for (const auto& [role, minimum] : job.min_task_member) {
    TaskRole& row = job.roles.emplace_back();
    row.name = role;
    row.min = minimum;
  }
  for (const TaskId task : job.tasks) place_in_job(task);
}

namespace {

// The values of the policy's keys on these labels; nullopt if the policy does not match them. A policy with a selector
// and no keys makes one sub-job of all that match; one with neither matches nothing.
std::optional<std::vector<std::string_view>> policy_values(const SubGroupPolicy& policy, LabelSpan labels,
                                                           const StringPool& names) {
  if (policy.match_label_keys.empty() && policy.selector.nothing) return std::nullopt;
  if (!policy.selector.nothing && !matches(policy.selector, labels, names)) return std::nullopt;
  std::vector<std::string_view> values;
  for (const NameId key : policy.match_label_keys) {
    const NameId value = find_label(labels, key);
    if (!value.valid() || value == kEmptyName) return std::nullopt;
    values.push_back(names.text(value));
  }
  return values;
}

std::string sub_job_id(const Job& job, const SubGroupPolicy& policy, const std::vector<std::string_view>& values) {
  std::string joined;
  for (const std::string_view value : values) {
    if (!joined.empty()) joined += '-';
    joined += value;
  }
  if (joined.size() > kMaxJoinedValues) joined = std::to_string(Fingerprint().add(joined).value());
  return job.id + "/" + policy.name + (values.empty() ? "" : "-") + joined;
}

}  // namespace

// Finds or makes the role and the sub-job of a task that is in job.tasks already, and counts it.
void ClusterState::place_in_job(TaskId id) {
  Task& task = tasks_[id];
  Job& job = jobs_[task.job];
  auto role = std::find_if(job.roles.begin(), job.roles.end(), [&](const TaskRole& r) { return r.name == task.role; });
  if (role == job.roles.end()) {
    role = job.roles.emplace(job.roles.end());
    role->name = task.role;
  }
  task.role_index = static_cast<uint32_t>(role - job.roles.begin());

  SubJob wanted;
  wanted.id = job.id;
  wanted.min_available = job.sub_groups.empty() ? job.min_available : 1;
  for (size_t p = 0; p < job.sub_groups.size(); ++p) {
    const SubGroupPolicy& policy = job.sub_groups[p];
    const auto values = policy_values(policy, label_sets[task.labels], names);
    if (!values) continue;
    wanted.id = sub_job_id(job, policy, *values);
    wanted.policy = static_cast<int32_t>(p);
    wanted.min_available = policy.size;
    const std::string_view first = values->empty() ? std::string_view("0") : values->front();
    auto [end, error] = std::from_chars(first.data(), first.data() + first.size(), wanted.match_index);
    if (error != std::errc() || end != first.data() + first.size()) wanted.match_index = 0;
    break;
  }
  auto sub = std::find_if(job.sub_jobs.begin(), job.sub_jobs.end(), [&](const SubJob& s) { return s.id == wanted.id; });
  if (sub == job.sub_jobs.end()) sub = job.sub_jobs.insert(job.sub_jobs.end(), std::move(wanted));
  task.sub_job_index = static_cast<uint32_t>(sub - job.sub_jobs.begin());
  task.slot_in_sub_job = static_cast<uint32_t>(sub->tasks.size());
  sub->tasks.push_back(id);

  job.total.add(shapes[task.shape].request);
  if (task.gated && !task.only_queue_gate) job.gated.add(shapes[task.shape].request);
  count_in_job(id, +1);
}

}  // namespace basalt::model
