// What is left to place of a job in this cycle: per sub-job its pending tasks in task order.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "engine/core/session.h"

namespace basalt::actions {

// Tasks in order, taken from the front.
class TaskQueue {
 public:
  explicit TaskQueue(std::vector<model::TaskId> tasks) : tasks_(std::move(tasks)) {}
  [[nodiscard]] bool empty() const { return next_ == tasks_.size(); }
  model::TaskId take() { return tasks_[next_++]; }

 private:
  std::vector<model::TaskId> tasks_;
  size_t next_ = 0;
};

struct PendingSubJob {
  uint32_t sub_job = 0;  // index into Job::sub_jobs
  TaskQueue tasks;
};

struct PendingWork {
  std::vector<PendingSubJob> sub_jobs;  // those with work left
  std::set<uint32_t> required;          // sub-jobs needed so that every policy reaches its minSubGroups
  bool tried_any = false;               // some task found a node, even if it was given up again
  bool placed_any = false;              // something was committed or held for the job in this cycle

  [[nodiscard]] bool empty() const { return sub_jobs.empty(); }
};

// The sub-job to work on next, as an index into pending.sub_jobs: required ones first, then by sub-job order. Requires:
// not empty.
size_t next_sub_job(const engine::Session& session, model::JobId job, const PendingWork& pending);

// Pending tasks with a request and without foreign gates. Cost: O(tasks of the job · log).
PendingWork make_pending_work(const engine::Session& session, model::JobId job);

// Whether it makes sense to go on with other tasks of the job after one found no node: false when the gang as a whole
// can no longer become ready.
bool worth_continuing(const engine::Session& session, model::JobId job, uint32_t sub_job);

}  // namespace basalt::actions
