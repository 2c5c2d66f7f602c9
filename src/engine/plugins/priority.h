// priority: the more important goes first, and may push out the less important.
//
// A job's priority is its PriorityClass's value, a task's its own (spec.priority or the task-priority annotation), a
// sub-job's the highest of its tasks. No arguments.
//
//   job_order, sub_job_order, task_order   higher first
//   preemptable    of another job: that job's priority is strictly lower; of the same job: that task's is
//   job_starving   some pod is neither placed nor about to be
//
// Cost: O(1) a call; a job's sub-job priorities are read once, when two of its sub-jobs are first compared.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/core/plugin.h"

namespace basalt::plugins {

class Priority {
 public:
  static constexpr std::string_view kName = "priority";
  static Result<Priority> make(const engine::Arguments& arguments);
  void open(engine::Session& session, engine::HookBinder& binder);

  [[nodiscard]] engine::Order job_order(model::JobId a, model::JobId b) const;
  [[nodiscard]] engine::Order sub_job_order(model::JobId id, uint32_t a, uint32_t b);
  [[nodiscard]] engine::Order task_order(model::TaskId a, model::TaskId b) const;
  [[nodiscard]] bool job_starving(model::JobId id) const;
  engine::Vote victims(model::TaskId preemptor, std::span<const model::TaskId> candidates,
                       std::vector<model::TaskId>& chosen) const;

 private:
  const engine::Session* session_ = nullptr;
  std::unordered_map<model::JobId, std::vector<int32_t>> sub_job_priorities_;
};

}  // namespace basalt::plugins
