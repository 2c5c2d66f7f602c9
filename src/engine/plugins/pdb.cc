#include "engine/plugins/pdb.h"

#include "engine/core/session.h"

namespace basalt::plugins {

using engine::HookTable;
using model::TaskId;

Result<Pdb> Pdb::make(const engine::Arguments& /*arguments*/) { return Pdb(); }

void Pdb::open(engine::Session& session, engine::HookBinder& binder) {
  session_ = &session;
  for (const auto& [key, object] : session.state.limits.budgets) {
    const NameId ns = session.state.names.find(object.ns);
    if (object.selector.nothing || !ns.valid()) continue;
    by_namespace_[ns].push_back(static_cast<uint32_t>(budgets_.size()));
    budgets_.push_back({.object = &object, .left = object.disruptions_allowed});
  }
  // Bound even without budgets: under Volcano's victim rule an absent plugin is not the same as one that agrees.
  binder.bind<&Pdb::victims>(&HookTable::preemptable, *this);
  binder.bind<&Pdb::victims>(&HookTable::reclaimable, *this);
  if (budgets_.empty()) return;
  binder.bind<&Pdb::on_allocate>(&HookTable::on_allocate, *this);
  binder.bind<&Pdb::on_deallocate>(&HookTable::on_deallocate, *this);
}

template <class Visit>
void Pdb::each_payer(const model::Task& task, Visit visit) {
  const auto own = by_namespace_.find(task.ns);
  if (own == by_namespace_.end()) return;
  const model::LabelSpan labels = session_->state.label_sets[task.labels];
  for (const uint32_t index : own->second) {
    Budget& budget = budgets_[index];
    if (!model::matches(budget.object->selector, labels, session_->state.names)) continue;
    if (budget.object->disrupted_pods.contains(task.name)) continue;
    visit(budget);
  }
}

engine::Vote Pdb::victims(TaskId /*preemptor*/, std::span<const TaskId> candidates, std::vector<TaskId>& chosen) {
  for (Budget& budget : budgets_) budget.call = 0;
  for (const TaskId candidate : candidates) {
    const model::Task& task = session_->state.task(candidate);
    bool paid = true;
    each_payer(task, [&](const Budget& budget) { paid = paid && budget.left - budget.call > 0; });
    if (!paid) continue;
    each_payer(task, [](Budget& budget) { ++budget.call; });
    chosen.push_back(candidate);
  }
  return engine::Vote::Permit;
}

void Pdb::on_deallocate(TaskId task) {
  const model::Task& row = session_->state.task(task);
  if (row.status != model::TaskStatus::Releasing) return;  // a tentative placement was undone: nobody is disturbed
  evicted_.insert(task);
  each_payer(row, [](Budget& budget) { --budget.left; });
}

void Pdb::on_allocate(TaskId task) {
  if (evicted_.erase(task) == 0) return;
  each_payer(session_->state.task(task), [](Budget& budget) { ++budget.left; });
}

}  // namespace basalt::plugins
