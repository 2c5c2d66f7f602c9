#include "engine/core/statement.h"

#include <algorithm>

#include "base/check.h"

namespace basalt::engine {

using model::TaskStatus;

void Statement::allocate(TaskId task, NodeId node) {
  check(session_.state.task(task).status == TaskStatus::Pending, "only a pending task is allocated");
  session_.state.move_task(task, TaskStatus::Allocated, node, /*in_view=*/true);
  ops_.push_back({.kind = Kind::Allocate, .task = task, .node = node, .previous = TaskStatus::Pending});
  session_.notify_allocated(task);
}

void Statement::pipeline(TaskId task, NodeId node, bool evicted) {
  check(session_.state.task(task).status == TaskStatus::Pending, "only a pending task is pipelined");
  session_.state.move_task(task, TaskStatus::Pipelined, node, /*in_view=*/true);
  ops_.push_back(
      {.kind = Kind::Pipeline, .evicted = evicted, .task = task, .node = node, .previous = TaskStatus::Pending});
  session_.notify_allocated(task);
}

void Statement::evict(TaskId victim, TaskId preemptor, std::string_view reason) {
  const model::Task& task = session_.state.task(victim);
  check(model::is_preemptable(task.status), "only a bound or running task is evicted");
  ops_.push_back({.kind = Kind::Evict,
                  .task = victim,
                  .node = task.node,
                  .previous = task.status,
                  .preemptor = preemptor,
                  .reason = reason});
  session_.state.move_task(victim, TaskStatus::Releasing, task.node, /*in_view=*/false);
  session_.state.note_freed();
  session_.notify_deallocated(victim);
}

void Statement::undo(const Op& op) {
  if (op.kind == Kind::Evict) {
    session_.state.move_task(op.task, op.previous, op.node, /*in_view=*/true);
    session_.notify_allocated(op.task);
  } else {
    session_.state.move_task(op.task, op.previous, NodeId(), /*in_view=*/false);
    session_.notify_deallocated(op.task);
  }
}

bool Statement::evicts() const {
  return std::any_of(ops_.begin(), ops_.end(), [](const Op& op) { return op.kind == Kind::Evict; });
}

void Statement::rollback(Checkpoint to) {
  while (ops_.size() > to) {
    undo(ops_.back());
    ops_.pop_back();
  }
}

void Statement::discard_to(Checkpoint to) {
  for (size_t i = to; i < ops_.size(); ++i) {
    const Op& op = ops_[i];
    if (op.kind == Kind::Evict) continue;
    session_.record_attempt(op.task, session_.state.task(op.task).status, op.node);
  }
  rollback(to);
}

void Statement::commit() {
  for (const Op& op : ops_) {
    switch (op.kind) {
      case Kind::Allocate:
        session_.bind_task(op.task);
        break;
      case Kind::Pipeline:
        session_.held_.push_back({.task = op.task, .node = op.node, .evicted = op.evicted});
        session_.forget_attempt(op.task);
        break;
      case Kind::Evict:
        session_.result.decisions.evicts.push_back({.task = op.task, .preemptor = op.preemptor, .reason = op.reason});
        break;
    }
    if (const JobId job = session_.state.task(op.task).job; job.valid()) session_.touch_job(job);
  }
  ops_.clear();
}

void Statement::hold() {
  for (const Op& op : ops_) {
    check(op.kind != Kind::Evict, "evictions are committed or rolled back, never held");
    session_.held_.push_back({.task = op.task, .node = op.node, .evicted = op.evicted});
    if (const JobId job = session_.state.task(op.task).job; job.valid()) session_.touch_job(job);
  }
  ops_.clear();
}

}  // namespace basalt::engine
