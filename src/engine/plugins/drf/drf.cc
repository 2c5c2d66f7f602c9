#include "engine/plugins/drf/drf.h"

#include <cmath>
#include <map>

namespace basalt::plugins {

using engine::HookTable;
using engine::Order;
using engine::PluginFlag;
using engine::Vote;
using model::JobId;
using model::QueueId;
using model::ResourceVec;
using model::TaskId;

namespace {

constexpr double kShareDelta = 1e-6;

}  // namespace

Result<Drf> Drf::make(const engine::Arguments& /*arguments*/) { return Drf(); }

void Drf::open(engine::Session& session, engine::HookBinder& binder) {
  session_ = &session;
  whole_ = model::DominantShare(model::RealVec(session.state.total_allocatable()));
  shares_.assign(session.state.job_rows(), kUnknown);
  account_of_.assign(session.state.job_rows(), kNoAccount);
  binder.bind<&Drf::job_order>(&HookTable::job_order, *this);
  binder.bind<&Drf::preemptable>(&HookTable::preemptable, *this);
  binder.bind<&Drf::on_allocate>(&HookTable::on_allocate, *this);
  binder.bind<&Drf::on_deallocate>(&HookTable::on_deallocate, *this);
  if (!binder.enabled(PluginFlag::Hierarchy)) return;
  plant_tree();
  binder.bind<&Drf::queue_order>(&HookTable::queue_order, *this);
  binder.bind<&Drf::reclaimable>(&HookTable::reclaimable, *this);
}

void Drf::plant_tree() {
  const model::ClusterState& state = session_->state;
  tree_.emplace(whole_, state.queue_rows(), state.job_rows());
  std::map<std::string_view, QueueId> queues;  // by name: the first queue that names a node gives it its weight
  for (const JobId id : session_->jobs()) queues[state.job(id).queue] = state.job(id).queue_id;
  for (const auto& [name, id] : queues) {
    tree_->add_queue(id, state.queue(id).hierarchy, state.queue(id).hierarchy_weights);
  }
  for (const JobId id : session_->jobs()) {
    const model::Job& job = state.job(id);
    tree_->add_job(id, job.queue_id, job.id, job.total, job.allocated);
  }
  tree_->finish();
}

// ---- shares -----------------------------------------------------------------------------------------------------

JobId Drf::job_of(TaskId task) const {
  const JobId job = session_->state.task(task).job;
  return job.valid() && session_->state.job(job).schedulable() ? job : JobId();
}

const ResourceVec& Drf::held_by(JobId job) const {
  const uint32_t account = account_of_[job];
  return account == kNoAccount ? session_->state.job(job).allocated : accounts_[account];
}

double Drf::share_of(JobId job) {
  if (shares_[job] == kUnknown) shares_[job] = whole_.of(held_by(job));
  return shares_[job];
}

// Until a job's first move of the cycle the state's own sum is the account. The state has moved already when a hook is
// told, so the first account starts from a sum that has the move in it, unless the task is only pipelined.
void Drf::on_allocate(TaskId task) {
  const JobId job = job_of(task);
  if (!job.valid()) return;
  const model::DemandSpan request = session_->state.shape_of(task).request;
  if (account_of_[job] == kNoAccount) {
    account_of_[job] = static_cast<uint32_t>(accounts_.size());
    accounts_.push_back(session_->state.job(job).allocated);
    if (session_->state.task(task).status == model::TaskStatus::Pipelined) accounts_.back().add(request);
  } else {
    accounts_[account_of_[job]].add(request);
  }
  shares_[job] = whole_.of(accounts_[account_of_[job]]);
  if (tree_) tree_->charge(job, request, +1);
}

void Drf::on_deallocate(TaskId task) {
  const JobId job = job_of(task);
  if (!job.valid()) return;
  const model::DemandSpan request = session_->state.shape_of(task).request;
  if (account_of_[job] == kNoAccount) {
    account_of_[job] = static_cast<uint32_t>(accounts_.size());
    accounts_.push_back(session_->state.job(job).allocated);
  } else {
    accounts_[account_of_[job]].sub(request);
  }
  shares_[job] = whole_.of(accounts_[account_of_[job]]);
  if (tree_) tree_->charge(job, request, -1);
}

// ---- questions --------------------------------------------------------------------------------------------------

Order Drf::job_order(JobId a, JobId b) {
  const double left = share_of(a);
  const double right = share_of(b);
  if (left == right) return Order::equivalent;
  return left < right ? Order::less : Order::greater;
}

Vote Drf::preemptable(TaskId preemptor, std::span<const TaskId> candidates, std::vector<TaskId>& victims) {
  const JobId job = job_of(preemptor);
  if (!job.valid()) return Vote::Permit;
  ResourceVec mine = held_by(job);
  mine.add(session_->state.shape_of(preemptor).request);
  const double my_share = whole_.of(mine);

  std::map<JobId, ResourceVec> left;
  for (const TaskId candidate : candidates) {
    const JobId owner = job_of(candidate);
    if (!owner.valid()) continue;
    ResourceVec& theirs = left.try_emplace(owner, held_by(owner)).first->second;
    theirs.sub(session_->state.shape_of(candidate).request);
    const double their_share = whole_.of(theirs);
    if (my_share < their_share || std::abs(my_share - their_share) <= kShareDelta) victims.push_back(candidate);
  }
  return Vote::Permit;
}

Order Drf::queue_order(QueueId a, QueueId b) { return tree_->compare(a, b); }

Vote Drf::reclaimable(TaskId reclaimer, std::span<const TaskId> candidates, std::vector<TaskId>& victims) {
  const JobId job = job_of(reclaimer);
  if (!job.valid()) return Vote::Permit;
  const model::ClusterState& state = session_->state;
  tree_->charge(job, state.shape_of(reclaimer).request, +1);
  for (const TaskId candidate : candidates) {
    const JobId owner = job_of(candidate);
    if (!owner.valid()) continue;
    const model::DemandSpan request = state.shape_of(candidate).request;
    tree_->charge(owner, request, -1);
    const Order order = tree_->compare(state.job(job).queue_id, state.job(owner).queue_id);
    tree_->charge(owner, request, +1);
    if (order == Order::less) victims.push_back(candidate);
  }
  tree_->charge(job, state.shape_of(reclaimer).request, -1);
  return Vote::Permit;
}

}  // namespace basalt::plugins
