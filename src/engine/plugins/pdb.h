// pdb: evictions respect PodDisruptionBudgets.
//
// A budget covers the pods of its namespace that its selector matches; {} matches all of them, an absent selector none.
// Each victim costs one disruption of every budget that covers it, except budgets that already list the pod as
// disrupted. A candidate that some budget cannot pay for is not a victim and costs nothing. What the cycle has evicted
// so far stays charged, and is refunded when the eviction is rolled back. No arguments.
//
//   preemptable, reclaimable       candidates in order, as long as their budgets last
//   on_allocate, on_deallocate     keep the charges of this cycle
//
// Cost: O(budgets of the namespace) selector matches a candidate; nothing where there are no budgets.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/core/plugin.h"
#include "engine/model/namespace_limits.h"
#include "engine/model/task.h"

namespace basalt::plugins {

class Pdb {
 public:
  static constexpr std::string_view kName = "pdb";
  static Result<Pdb> make(const engine::Arguments& arguments);
  void open(engine::Session& session, engine::HookBinder& binder);

  engine::Vote victims(model::TaskId preemptor, std::span<const model::TaskId> candidates,
                       std::vector<model::TaskId>& chosen);
  void on_allocate(model::TaskId task);
  void on_deallocate(model::TaskId task);

 private:
  struct Budget {
    const model::DisruptionBudgetObject* object = nullptr;
    int32_t left = 0;  // disruptions allowed, less the cycle's evictions
    int32_t call = 0;  // spent on victims of the current call
  };
  // Calls visit(Budget&) for every budget that would pay for the task.
  template <class Visit>
  void each_payer(const model::Task& task, Visit visit);

  const engine::Session* session_ = nullptr;
  std::vector<Budget> budgets_;
  std::unordered_map<NameId, std::vector<uint32_t>> by_namespace_;
  std::unordered_set<model::TaskId> evicted_;  // in this cycle
};

}  // namespace basalt::plugins
