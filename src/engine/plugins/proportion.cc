#include "engine/plugins/proportion.h"

#include <map>

namespace basalt::plugins {

using engine::HookTable;
using engine::Order;
using engine::Vote;
using model::JobId;
using model::QueueId;
using model::TaskId;

Result<Proportion> Proportion::make(const engine::Arguments& /*arguments*/) { return Proportion(); }

void Proportion::open(engine::Session& session, engine::HookBinder& binder) {
  session_ = &session;
  accounts_ = divide_by_weight(session.state, session.jobs());

  binder.bind<&Proportion::queue_order>(&HookTable::queue_order, *this);
  binder.bind<&Proportion::overused>(&HookTable::overused, *this);
  binder.bind<&Proportion::allocatable>(&HookTable::allocatable, *this);
  binder.bind<&Proportion::allocatable>(&HookTable::preemptive, *this);
  binder.bind<&Proportion::reclaimable>(&HookTable::reclaimable, *this);
  binder.bind<&Proportion::job_enqueueable>(&HookTable::job_enqueueable, *this);
  binder.bind<&Proportion::job_enqueued>(&HookTable::job_enqueued, *this);
  binder.bind<&Proportion::on_allocate>(&HookTable::on_allocate, *this);
  binder.bind<&Proportion::on_deallocate>(&HookTable::on_deallocate, *this);
  binder.bind<&Proportion::queue_limits>(&HookTable::queue_limits, *this);
  binder.bind<&Proportion::job_inputs>(&HookTable::job_inputs, *this);
}

Order Proportion::queue_order(QueueId a, QueueId b) {
  const int32_t left = session_->state.queue(a).priority;
  const int32_t right = session_->state.queue(b).priority;
  if (left != right) return left > right ? Order::less : Order::greater;
  if (accounts_[a].share == accounts_[b].share) return Order::equivalent;
  return accounts_[a].share < accounts_[b].share ? Order::less : Order::greater;
}

bool Proportion::overused(QueueId queue) { return accounts_[queue].overused(); }

bool Proportion::allocatable(QueueId queue, TaskId task) {
  if (session_->state.queue(queue).state != model::QueueState::Open) return false;
  const WeightedPart& account = accounts_[queue];
  return model::has_room(session_->state.shape_of(task).request, account.usage.allocated, account.deserved);
}

Vote Proportion::reclaimable(TaskId /*reclaimer*/, std::span<const TaskId> candidates, std::vector<TaskId>& victims) {
  std::map<QueueId, model::ResourceVec> left;
  for (const TaskId candidate : candidates) {
    const QueueId queue = queue_of(candidate);
    if (!queue.valid()) continue;
    model::ResourceVec& allocated = left.try_emplace(queue, accounts_[queue].usage.allocated).first->second;
    if (model::less_equal(allocated, accounts_[queue].deserved)) continue;
    allocated.sub(session_->state.shape_of(candidate).request);
    victims.push_back(candidate);
  }
  return Vote::Permit;
}

Vote Proportion::job_enqueueable(JobId id) {
  const model::Job& job = session_->state.job(id);
  if (session_->state.queue(job.queue_id).state != model::QueueState::Open) return Vote::Reject;
  if (!job.min_resources) return Vote::Permit;
  const WeightedPart& account = accounts_[job.queue_id];
  auto exceeded = account.usage.exceeded_with(*job.min_resources, account.limit);
  if (exceeded.empty()) return Vote::Permit;
  session_->refuse_enqueue(id, kName,
                           model::refusal_text("queue resource quota insufficient", "insufficient", std::move(exceeded),
                                               session_->state.schema));
  return Vote::Reject;
}

void Proportion::job_enqueued(JobId id) {
  const model::Job& job = session_->state.job(id);
  model::add_promised_minimum(job, accounts_[job.queue_id].usage.inqueue);
}

void Proportion::queue_limits(QueueId queue, std::vector<engine::QueueLimit>& limits) {
  const WeightedPart& account = accounts_[queue];
  if (!account.present) return;
  limits.push_back({.queue = queue, .at = queue, .now = account.deserved, .ever = account.limit});
}

QueueId Proportion::queue_of(TaskId task) const {
  const JobId job = session_->state.task(task).job;
  if (!job.valid() || !session_->state.job(job).schedulable()) return {};
  return session_->state.job(job).queue_id;
}

void Proportion::on_allocate(TaskId task) {
  const QueueId queue = queue_of(task);
  if (!queue.valid()) return;
  WeightedPart& account = accounts_[queue];
  account.usage.allocated.add(session_->state.shape_of(task).request);
  account.share = account.whole.of(account.usage.allocated);
}

void Proportion::on_deallocate(TaskId task) {
  const QueueId queue = queue_of(task);
  if (!queue.valid()) return;
  WeightedPart& account = accounts_[queue];
  account.usage.allocated.sub(session_->state.shape_of(task).request);
  account.share = account.whole.of(account.usage.allocated);
}

void Proportion::job_inputs(JobId id, Fingerprint& inputs) {
  const model::Queue& queue = session_->state.queue(session_->state.job(id).queue_id);
  const WeightedPart& account = accounts_[session_->state.job(id).queue_id];
  inputs.add(static_cast<uint64_t>(queue.state));
  model::mix(inputs, account.usage.allocated);
  model::mix(inputs, account.deserved);
}

}  // namespace basalt::plugins
