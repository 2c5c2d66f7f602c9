#include "engine/plugins/task_topology/task_topology.h"

#include "engine/core/session.h"

namespace basalt::plugins {

using engine::HookTable;
using engine::Order;
using engine::Reach;
using engine::Session;
using model::JobId;
using model::NodeId;
using model::TaskId;

namespace {

constexpr double kTopologyScore = 100;

// A raw score carries what scaling needs: the bucket's score above, the size of the largest bucket in the low bits.
constexpr unsigned kSizeBits = 24;
constexpr int64_t kSizeMask = (int64_t{1} << kSizeBits) - 1;

int64_t pack(int64_t score, int32_t largest) { return score * (kSizeMask + 1) + (int64_t{largest} & kSizeMask); }

double unpack(int64_t raw, int64_t /*min*/, int64_t /*max*/) {
  const int64_t largest = raw & kSizeMask;
  if (raw == engine::kIgnoredRaw || largest == 0) return 0;
  return static_cast<double>(raw >> kSizeBits) * kTopologyScore / static_cast<double>(largest);
}

}  // namespace

Result<TaskTopology> TaskTopology::make(const engine::Arguments& arguments) {
  TaskTopology plugin;
  const Result<int64_t> weight = arguments.get_int("task-topology.weight", 1);
  if (!weight) return std::unexpected(weight.error());
  plugin.weight_ = *weight;
  return plugin;
}

void TaskTopology::open(Session& session, engine::HookBinder& binder) {
  session_ = &session;
  for (const JobId id : session.jobs()) {
    const model::Job& job = session.state.job(id);
    if (job.count(model::TaskStatus::Pending) == 0) continue;
    std::optional<RoleRelations> relations = read_relations(job, session.state.names);
    if (!relations) continue;
    if (index_.empty()) index_.assign(session.state.job_rows(), 0);
    jobs_.emplace_back(session.state, id, std::move(*relations));
    index_[id] = static_cast<uint32_t>(jobs_.size());
  }
  binder.bind<&TaskTopology::sign_epoch>(&HookTable::sign_epoch, *this);
  if (jobs_.empty()) return;
  binder.bind<&TaskTopology::task_order>(&HookTable::task_order, *this);
  binder.bind_scaled<&TaskTopology::raw_score, &TaskTopology::reach>(&unpack, 1, *this);
  binder.bind<&TaskTopology::sign>(&HookTable::sign, *this);
  binder.bind<&TaskTopology::on_allocate>(&HookTable::on_allocate, *this);
  binder.bind<&TaskTopology::on_deallocate>(&HookTable::on_deallocate, *this);
}

const JobBuckets* TaskTopology::buckets_of(TaskId task) const {
  const JobId job = session_->state.task(task).job;
  if (!job.valid() || index_[job] == 0) return nullptr;
  return &jobs_[index_[job] - 1];
}

Order TaskTopology::task_order(TaskId a, TaskId b) const {
  const model::Task& left = session_->state.task(a);
  const model::Task& right = session_->state.task(b);
  const JobBuckets* buckets = buckets_of(a);
  if (left.job != right.job || buckets == nullptr) return Order::equivalent;
  const auto left_bucket = buckets->bucket_of(a);
  const auto right_bucket = buckets->bucket_of(b);
  if (left_bucket.has_value() != right_bucket.has_value()) return left_bucket ? Order::less : Order::greater;
  if (!left_bucket) return Order::equivalent;
  const size_t left_size = buckets->waiting(*left_bucket);
  const size_t right_size = buckets->waiting(*right_bucket);
  if (left_size != right_size) return right_size <=> left_size;
  if (*left_bucket != *right_bucket) return *left_bucket <=> *right_bucket;
  return buckets->relations().rank(right.role_index, left.role_index) <=> 0;
}

void TaskTopology::raw_score(const engine::RawCall& call) const {
  const JobBuckets* buckets = buckets_of(call.task);
  if (buckets == nullptr || !buckets->bucket_of(call.task)) return;
  for (size_t i = 0; i < call.nodes.size(); ++i) {
    call.raw[i] = pack(buckets->score(call.task, call.nodes[i]) * weight_, buckets->largest());
  }
}

Reach TaskTopology::reach(TaskId task) const {
  const JobBuckets* buckets = buckets_of(task);
  return buckets != nullptr && buckets->bucket_of(task) ? Reach::Cluster : Reach::Node;
}

void TaskTopology::sign(TaskId task, engine::ClassKey& key) const {
  const model::Task& row = session_->state.task(task);
  const JobBuckets* buckets = buckets_of(task);
  const auto bucket = buckets == nullptr ? std::nullopt : buckets->bucket_of(task);
  key.add(bucket ? row.job : JobId());
  key.add(bucket ? uint64_t{*bucket} + 1 : 0);
  key.add(uint64_t{bucket ? row.role_index : 0});
  key.add(row.shape);
}

void TaskTopology::sign_epoch(Fingerprint& epoch) const {
  epoch.add(jobs_.size());
  for (const JobBuckets& buckets : jobs_) buckets.add_to(epoch);
}

void TaskTopology::on_allocate(TaskId task) {
  const JobId job = session_->state.task(task).job;
  if (buckets_of(task) == nullptr) return;
  const NodeId node = session_->state.task(task).node;
  placed_[task] = node;
  jobs_[index_[job] - 1].place(task, node);
}

void TaskTopology::on_deallocate(TaskId task) {
  const JobId job = session_->state.task(task).job;
  if (buckets_of(task) == nullptr) return;
  NodeId node = session_->state.task(task).node;  // an evicted task is still there
  if (const auto at = placed_.find(task); at != placed_.end()) {
    node = at->second;
    placed_.erase(at);
  }
  jobs_[index_[job] - 1].take_back(task, node);
}

}  // namespace basalt::plugins
