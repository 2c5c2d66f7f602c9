#include "control/scheduler/object_series.h"

#include <algorithm>
#include <utility>

#include "engine/model/dominant_share.h"
#include "engine/model/readiness.h"
#include "engine/model/resource_units.h"
#include "engine/plugins/capacity/queue_tree.h"
#include "engine/plugins/weighted_parts.h"

namespace basalt::scheduler {

using model::ClusterState;
using model::JobId;
using model::QueueId;
using model::ResourceId;

namespace {

const policy::PluginSpec* find_plugin(const policy::PolicySpec& policy, std::string_view name) {
  for (const policy::TierSpec& tier : policy.tiers) {
    for (const policy::PluginSpec& plugin : tier.plugins) {
      if (plugin.name == name) return &plugin;
    }
  }
  return nullptr;
}

// How many tasks the gang lacks; 0 when it is ready, or when all it lacks is being released on its nodes.
int32_t missing_tasks(const model::Job& job) {
  if (job.tasks.empty() || model::gang_ready(job)) return 0;
  using model::TaskStatus;
  const bool waits = job.count(TaskStatus::Pending) + job.count(TaskStatus::Pipelined) > 0;
  const int32_t held = model::scheduled_tasks(job.counts) + job.releasing_on_node;
  if (job.releasing_on_node > 0 && !waits && held >= job.min_available) return 0;
  return std::max(0, job.min_available - model::ready_tasks(job.counts));
}

bool overused(const plugins::WeightedPart& part) { return part.overused(); }
bool overused(const plugins::QueueNode& node) { return node.share > 1; }

}  // namespace

ObjectSeries::JobRow* ObjectSeries::job_row(const ClusterState& state, JobId id) {
  const model::Job& job = state.job(id);
  const auto at = jobs_.find(job.id);
  if (at != jobs_.end()) return &at->second;
  if (jobs_.size() >= kMaxJobSeries) return nullptr;
  return &jobs_.emplace(job.id, JobRow{.ns = job.ns, .name = job.name, .queue = job.queue, .created = job.created})
              .first->second;
}

void ObjectSeries::assumed(const ClusterState& state, JobId job, Instant now) {
  if (JobRow* row = job_row(state, job)) row->last = now;
}

void ObjectSeries::retried(const ClusterState& state, JobId job) {
  if (JobRow* row = job_row(state, job)) ++row->retries;
}

void ObjectSeries::gauges(const ClusterState& state, const policy::PolicySpec& policy) {
  read_jobs(state, policy);
  read_queues(state, policy);
}

void ObjectSeries::read_jobs(const ClusterState& state, const policy::PolicySpec& policy) {
  shares_ = find_plugin(policy, "drf") != nullptr;
  gangs_ = find_plugin(policy, "gang") != nullptr;
  std::erase_if(jobs_, [&](const auto& entry) {
    const JobId id = state.find_job(entry.second.ns, entry.second.name);
    return !id.valid() || !state.job(id).has_pod_group;
  });
  const model::DominantShare whole{model::RealVec(state.total_allocatable())};
  unscheduled_jobs_ = 0;
  for (size_t j = 0; j < state.job_rows(); ++j) {
    const model::Job& job = state.job(JobId(j));
    if (!job.alive || !job.has_pod_group) continue;
    const int32_t missing = missing_tasks(job);
    unscheduled_jobs_ += missing > 0 ? 1 : 0;
    JobRow* row = job_row(state, JobId(j));
    if (row == nullptr) continue;
    if (row->created != job.created) *row = {.ns = job.ns, .name = job.name, .created = job.created};  // another one
    row->queue = job.queue;
    row->missing = missing;
    row->share = shares_ ? whole.of(job.allocated) : 0;
  }
}

template <class Vec>
ObjectSeries::Amounts ObjectSeries::amounts(const ClusterState& state, const Vec& vec, bool zeros) {
  Amounts out{.cpu_milli = static_cast<double>(vec[model::kCpu]), .memory = static_cast<double>(vec[model::kMemory])};
  for (size_t r = 0; r < state.schema.size(); ++r) {
    const ResourceId id(r);
    if (id == model::kCpu || id == model::kMemory) continue;
    if (vec[id] == 0 && !(zeros && state.total_allocatable()[id] > 0)) continue;
    const std::string_view name = state.schema.name(id);
    out.scalars.emplace(name, static_cast<double>(vec[id]) * static_cast<double>(model::volcano_factor(name)));
  }
  return out;
}

ObjectSeries::QueueRow* ObjectSeries::queue_row(const ClusterState& state, QueueId queue) {
  const auto at = queues_.find(state.queue(queue).name);
  return at == queues_.end() ? nullptr : &at->second;
}

// What the plugin that divides the cluster between queues says.
template <class Parts>
void ObjectSeries::read_parts(const ClusterState& state, const Parts& parts) {
  for (size_t q = 0; q < parts.size(); ++q) {
    const auto& part = parts[QueueId(q)];
    QueueRow* row = part.present ? queue_row(state, QueueId(q)) : nullptr;
    if (row == nullptr) continue;
    row->amounts[0] = amounts(state, part.usage.allocated);
    row->amounts[1] = amounts(state, part.usage.request);
    row->amounts[2] = amounts(state, part.usage.inqueue);
    row->amounts[3] = amounts(state, part.deserved);
    row->amounts[5] = amounts(state, part.limit);
    row->share = part.share;
    row->overused = overused(part);
  }
}

void ObjectSeries::read_queues(const ClusterState& state, const policy::PolicySpec& policy) {
  queues_.clear();
  for (size_t q = 0; q < state.queue_rows() && queues_.size() < kMaxQueueSeries; ++q) {
    const model::Queue& queue = state.queue(QueueId(q));
    if (!queue.alive) continue;
    QueueRow row{.weight = static_cast<double>(queue.weight)};
    for (const size_t sum : {0U, 1U, 2U}) row.amounts[sum] = amounts(state, model::ResourceVec());  // no jobs
    if (queue.capability.given.any()) row.amounts[4] = amounts(state, model::RealVec(queue.capability), false);
    queues_.emplace(queue.name, std::move(row));
  }
  std::vector<JobId> jobs;
  std::map<QueueId, model::QueueUsage> usage;
  const policy::PluginSpec* capacity = find_plugin(policy, "capacity");
  const bool proportion = find_plugin(policy, "proportion") != nullptr;
  for (size_t j = 0; j < state.job_rows(); ++j) {
    const model::Job& job = state.job(JobId(j));
    if (!job.schedulable()) continue;
    jobs.emplace_back(j);
    QueueRow* row = queue_row(state, job.queue_id);
    if (row == nullptr) continue;
    // A group that no cycle has seen yet is pending.
    const size_t phase = std::max<size_t>(1, static_cast<size_t>(job.status.phase)) - 1;
    ++row->pod_groups[std::min(phase, kPhases - 1)];
    if (capacity == nullptr && !proportion) usage[job.queue_id].charge(job);
  }
  if (capacity != nullptr) {
    const bool tree = capacity->flags[static_cast<size_t>(engine::PluginFlag::Hierarchy)].value_or(false);
    return read_parts(state, tree ? plugins::queue_tree(state, jobs) : plugins::flat_queues(state, jobs));
  }
  if (proportion) return read_parts(state, plugins::divide_by_weight(state, jobs));
  for (const auto& [id, sums] : usage) {
    QueueRow* row = queue_row(state, id);
    if (row == nullptr) continue;
    row->amounts[0] = amounts(state, sums.allocated);
    row->amounts[1] = amounts(state, sums.request);
    row->amounts[2] = amounts(state, sums.inqueue);
  }
}

}  // namespace basalt::scheduler
