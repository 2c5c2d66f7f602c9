#include "engine/plugins/task_topology/buckets.h"

#include <algorithm>

#include "engine/model/resource_units.h"

namespace basalt::plugins {

using model::Amount;
using model::NodeId;
using model::TaskId;
using model::TaskStatus;

namespace {

constexpr double kBytesPerMiB = 1024.0 * 1024.0;

// One milli-cpu weighs as much as one MiB or one unit of anything else.
double weight_of(model::DemandSpan request, const model::ResourceSchema& schema) {
  double weight = 0;
  for (const auto& [id, amount] : request) {
    const auto units = static_cast<double>(amount * model::volcano_factor(schema.name(id)));
    weight += id == model::kMemory ? units / kBytesPerMiB : units;
  }
  return weight;
}

}  // namespace

JobBuckets::JobBuckets(const model::ClusterState& state, model::JobId job, RoleRelations relations)
    : state_(&state), relations_(std::move(relations)) {
  std::unordered_map<NodeId, uint32_t> by_node;
  for (const TaskId task : tasks_in_order(state.job(job))) {
    const model::Task& row = state.task(task);
    if (!row.node.valid()) {
      join(choose_bucket(row.role_index), task);
      continue;
    }
    const auto [at, is_new] = by_node.try_emplace(row.node, 0);
    if (is_new) at->second = new_bucket();
    join(at->second, task);
  }
  for (const TaskId task : state.job(job).tasks) {
    if (const NodeId node = state.task(task).node; node.valid()) count(task, node, +1);
  }
}

std::vector<TaskId> JobBuckets::tasks_in_order(const model::Job& job) const {
  std::vector<TaskId> tasks;
  for (const TaskId task : job.tasks) {
    const model::Task& row = state_->task(task);
    const bool counts = row.node.valid() || row.status == TaskStatus::Pending;
    if (counts && relations_.roles[row.role_index].priority > 0) tasks.push_back(task);
  }
  std::sort(tasks.begin(), tasks.end(), [this](TaskId a, TaskId b) {
    const model::Task& left = state_->task(a);
    const model::Task& right = state_->task(b);
    if (left.node.valid() != right.node.valid()) return left.node.valid();
    if (left.node != right.node) return state_->node(left.node).name < state_->node(right.node).name;
    if (!left.node.valid()) {
      if (const int32_t rank = relations_.rank(left.role_index, right.role_index); rank != 0) return rank > 0;
    }
    return left.name < right.name;
  });
  return tasks;
}

uint32_t JobBuckets::new_bucket() {
  buckets_.emplace_back().draws.assign(relations_.roles.size(), 0);
  return static_cast<uint32_t>(buckets_.size() - 1);
}

uint32_t JobBuckets::choose_bucket(uint32_t role) {
  const auto better = [role](const Bucket& a, const Bucket& b) {
    if (a.draws[role] != b.draws[role]) return a.draws[role] > b.draws[role];
    return a.weight < b.weight;
  };
  const auto best = std::min_element(buckets_.begin(), buckets_.end(), better);
  if (best == buckets_.end() || best->draws[role] < 0) return new_bucket();
  return static_cast<uint32_t>(best - buckets_.begin());
}

void JobBuckets::join(uint32_t index, TaskId task) {
  const model::Task& row = state_->task(task);
  Bucket& bucket = buckets_[index];
  places_[task] = {.bucket = index, .member = static_cast<uint32_t>(bucket.members.size())};
  bucket.members.push_back({.task = task, .waiting = !row.node.valid()});
  largest_ = std::max(largest_, static_cast<int32_t>(bucket.members.size()));
  for (uint32_t role = 0; role < bucket.draws.size(); ++role) {
    bucket.draws[role] += relations_.pull_between(role, row.role_index) + relations_.push_between(role, row.role_index);
  }
  if (row.node.valid()) {
    ++bucket.on_node[row.node];
    return;
  }
  ++bucket.waiting;
  const model::Demand& request = state_->shape_of(task).request;
  bucket.request.add(request);
  bucket.weight += weight_of(request, state_->schema);
}

std::optional<uint32_t> JobBuckets::bucket_of(TaskId task) const {
  const auto at = places_.find(task);
  if (at == places_.end()) return std::nullopt;
  return at->second.bucket;
}

void JobBuckets::count(TaskId task, NodeId node, int32_t by) {
  std::vector<int32_t>& roles = roles_on_node_[node];
  roles.resize(relations_.roles.size(), 0);
  roles[state_->task(task).role_index] += by;
}

void JobBuckets::place(TaskId task, NodeId node) {
  count(task, node, +1);
  const auto at = places_.find(task);
  if (at == places_.end()) return;
  Bucket& bucket = buckets_[at->second.bucket];
  bucket.members[at->second.member].waiting = false;
  --bucket.waiting;
  bucket.request.sub(state_->shape_of(task).request);
  ++bucket.on_node[node];
}

void JobBuckets::take_back(TaskId task, NodeId node) {
  count(task, node, -1);
  const auto at = places_.find(task);
  if (at == places_.end()) return;
  Bucket& bucket = buckets_[at->second.bucket];
  bucket.members[at->second.member].waiting = true;
  ++bucket.waiting;
  bucket.request.add(state_->shape_of(task).request);
  --bucket.on_node[node];
}

int32_t JobBuckets::repulsion(uint32_t role, NodeId node) const {
  const auto at = roles_on_node_.find(node);
  if (at == roles_on_node_.end()) return 0;
  int32_t sum = 0;
  for (uint32_t other = 0; other < at->second.size(); ++other) {
    sum += at->second[other] * relations_.push_between(role, other);
  }
  return sum;
}

// What is idle now or being released.
Amount JobBuckets::room(NodeId node, model::ResourceId id) const {
  const auto idle = state_->idle(node);
  return id.index() < idle.size() ? idle[id.index()] + state_->releasing(node)[id.index()] : 0;
}

bool JobBuckets::fits(const model::ResourceVec& request, NodeId node) const {
  for (size_t r = 0; r < request.size(); ++r) {
    const Amount wanted = request[model::ResourceId(r)];
    if (wanted > 0 && wanted > room(node, model::ResourceId(r))) return false;
  }
  return true;
}

int32_t JobBuckets::score(TaskId task, NodeId node) const {
  const auto at = places_.find(task);
  if (at == places_.end()) return 0;
  for (const auto& [id, amount] : state_->shape_of(task).request) {
    if (amount > room(node, id)) return 0;
  }
  const Bucket& bucket = buckets_[at->second.bucket];
  const auto here = bucket.on_node.find(node);
  int32_t score = here == bucket.on_node.end() ? 0 : here->second;
  score += repulsion(state_->task(task).role_index, node);
  score += static_cast<int32_t>(bucket.waiting);
  return fits(bucket.request, node) ? score : score - surplus(bucket, state_->task(task).shape, node);
}

// How many waiting members, newest first, must stay away so that the rest fits. One member of the task's shape stays:
// which one must not matter, because tasks of one class share the answer.
int32_t JobBuckets::surplus(const Bucket& bucket, model::ShapeId shape, NodeId node) const {
  const auto kept = std::find_if(bucket.members.begin(), bucket.members.end(), [&](const Member& member) {
    return member.waiting && state_->task(member.task).shape == shape;
  });
  rest_ = bucket.request;
  int32_t away = 0;
  for (auto member = bucket.members.end(); member != bucket.members.begin();) {
    --member;
    if (!member->waiting || member == kept) continue;
    rest_.sub(state_->shape_of(member->task).request);
    ++away;
    if (fits(rest_, node)) break;
  }
  return away;
}

void JobBuckets::add_to(Fingerprint& print) const {
  for (const RoleRelations::Row& row : relations_.roles) {
    print.add(static_cast<uint64_t>(row.order)).add(static_cast<uint64_t>(row.priority));
  }
  for (const int8_t push : relations_.push) print.add(static_cast<uint64_t>(push));
  for (const Bucket& bucket : buckets_) {
    print.add(bucket.members.size());
    for (const Member& member : bucket.members) {
      const model::Task& task = state_->task(member.task);
      print.add(uint64_t{member.task.value}).add(uint64_t{task.shape.value}).add(uint64_t{task.role_index});
      print.add(uint64_t{task.node.value});
    }
  }
}

}  // namespace basalt::plugins
