// Reference implementations: recounts of everything that is kept incrementally, and the state's fingerprint.
#include <algorithm>

#include "base/fingerprint.h"
#include "engine/model/cluster_state.h"

namespace basalt::model {

namespace {

struct NodeRecount {
  ResourceVec idle, future_idle, releasing, view_requested;
  int32_t view_pods = 0;
};

// Resources may have been named since the tables were shaped: nothing has any of them.
Amount cell(std::span<const Amount> row, size_t resource) { return resource < row.size() ? row[resource] : 0; }

// A sum over what is there, by name: neither the order of resources nor names that nobody has show in it.
uint64_t amounts_print(std::span<const Amount> row, const ResourceSchema& schema, std::string_view owner,
                       uint64_t kind) {
  uint64_t sum = 0;
  for (size_t r = 0; r < std::min(row.size(), schema.size()); ++r) {
    if (row[r] == 0) continue;
    Fingerprint print;
    print.add(owner).add(kind).add(schema.name(ResourceId(r))).add(static_cast<uint64_t>(row[r]));
    sum += print.value();
  }
  return sum;
}

NodeRecount recount_node(const ClusterState& state, NodeId id) {
  NodeRecount sum;
  for (size_t r = 0; r < state.schema.size(); ++r) {
    const ResourceId rid(r);
    sum.idle.at(rid) = sum.future_idle.at(rid) = cell(state.allocatable(id), r);
  }
  for (const TaskId task_id : state.node(id).tasks) {
    const Task& task = state.task(task_id);
    const Demand& request = state.shapes[task.shape].request;
    if (task.in_view) {
      ++sum.view_pods;
      sum.view_requested.add(request);
    }
    if (task.status != TaskStatus::Pipelined) sum.idle.sub(request);
    if (task.status == TaskStatus::Releasing) {
      sum.releasing.add(request);
    } else {
      sum.future_idle.sub(request);
    }
  }
  return sum;
}

std::string compare_node(const ClusterState& state, NodeId id) {
  const NodeRecount sum = recount_node(state, id);
  const Node& node = state.node(id);
  for (size_t r = 0; r < state.schema.size(); ++r) {
    const ResourceId rid(r);
    if (cell(state.idle(id), r) != sum.idle[rid]) return "idle of node " + node.name;
    if (cell(state.future_idle(id), r) != sum.future_idle[rid]) return "future idle of node " + node.name;
    if (cell(state.releasing(id), r) != sum.releasing[rid]) return "releasing of node " + node.name;
    if (cell(state.view_requested(id), r) != sum.view_requested[rid]) return "view of node " + node.name;
  }
  if (node.view_pods != sum.view_pods) return "pods in view of node " + node.name;
  return "";
}

std::string compare_job(const ClusterState& state, JobId id) {
  const Job& job = state.job(id);
  StatusCounts counts{};
  int32_t pending_best_effort = 0;
  ResourceVec allocated;
  ResourceVec pending;
  ResourceVec total;
  for (const TaskId task_id : job.tasks) {
    const Task& task = state.task(task_id);
    const Demand& request = state.shapes[task.shape].request;
    if (task.job != id) return "membership in job " + job.id;
    ++counts[slot(task.status)];
    if (task.status == TaskStatus::Pending && task.best_effort) ++pending_best_effort;
    if (is_allocated(task.status)) allocated.add(request);
    if (task.status == TaskStatus::Pending) pending.add(request);
    total.add(request);
  }
  if (counts != job.counts) return "status counts of job " + job.id;
  if (pending_best_effort != job.pending_best_effort) return "pending best effort of job " + job.id;
  if (!(allocated == job.allocated)) return "allocated of job " + job.id;
  if (!(pending == job.pending)) return "pending of job " + job.id;
  if (!(total == job.total)) return "total of job " + job.id;
  StatusCounts by_role{};
  StatusCounts by_sub_job{};
  for (size_t s = 0; s < kTaskStatuses; ++s) {
    for (const TaskRole& role : job.roles) by_role[s] += role.counts[s];
    for (const SubJob& sub : job.sub_jobs) by_sub_job[s] += sub.counts[s];
  }
  if (by_role != counts) return "role counts of job " + job.id;
  if (by_sub_job != counts) return "sub-job counts of job " + job.id;
  return "";
}

}  // namespace

std::string ClusterState::verify() const {
  for (size_t n = 0; n < nodes_.size(); ++n) {
    if (!nodes_[NodeId(n)].alive) continue;
    if (std::string bad = compare_node(*this, NodeId(n)); !bad.empty()) return bad;
  }
  for (size_t j = 0; j < jobs_.size(); ++j) {
    if (!jobs_[JobId(j)].alive) continue;
    if (std::string bad = compare_job(*this, JobId(j)); !bad.empty()) return bad;
  }
  return "";
}

uint64_t ClusterState::hash() const {
  uint64_t sum = 0;  // a sum of row fingerprints does not depend on row order
  for (const Task& task : tasks_) {
    if (!task.alive) continue;
    const std::string_view on = task.node.valid() ? std::string_view(nodes_[task.node].name) : std::string_view();
    sum += Fingerprint()
               .add(task.uid)
               .add(static_cast<uint64_t>(task.status))
               .add(on)
               .add(static_cast<uint64_t>(task.in_view))
               .value();
  }
  for (size_t n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[NodeId(n)];
    if (!node.alive) continue;
    Fingerprint print;
    print.add(node.name).add(static_cast<uint64_t>(node.view_pods)).add(node.tasks.size()).add(node.view_ports.size());
    print.add(static_cast<uint64_t>(node.view_nonzero_cpu_milli)).add(static_cast<uint64_t>(node.view_nonzero_memory));
    sum += print.value();
    uint64_t kind = 0;
    for (const ResourceMatrix* table : {&allocatable_, &idle_, &future_idle_, &releasing_, &view_requested_}) {
      sum += amounts_print(table->row(n), schema, node.name, ++kind);
    }
  }
  for (const Job& job : jobs_) {
    if (!job.alive) continue;
    Fingerprint print;
    print.add(job.id).add(static_cast<uint64_t>(job.status.phase));
    for (const int32_t count : job.counts) print.add(static_cast<uint64_t>(count));
    sum += print.value() + amounts_print(job.allocated.cells(), schema, job.id, 0);
  }
  return sum;
}

}  // namespace basalt::model
