#include "engine/core/victim_order.h"

#include "engine/core/heap.h"

namespace basalt::engine {

namespace {

bool goes_before(const Session& session, TaskId preemptor, TaskId a, TaskId b) {
  const JobId left = session.state.task(a).job;
  const JobId right = session.state.task(b).job;
  if (left == right) return session.task_before(b, a);
  const bool has_left = left.valid() && session.state.job(left).schedulable();
  const bool has_right = right.valid() && session.state.job(right).schedulable();
  if (!has_left || !has_right) {
    if (has_left == has_right) return session.task_before(b, a);
    return !has_left;
  }
  const model::QueueId left_queue = session.state.job(left).queue_id;
  const model::QueueId right_queue = session.state.job(right).queue_id;
  if (left_queue != right_queue) {
    const model::QueueId own = session.state.job(session.state.task(preemptor).job).queue_id;
    return session.victim_queue_before(left_queue, right_queue, own);
  }
  if (const Order order = session.compare_jobs(left, right); order != 0) return order > 0;
  return session.task_before(b, a);
}

}  // namespace

std::vector<TaskId> in_victim_order(const Session& session, TaskId preemptor, std::span<const TaskId> victims) {
  const auto before = [&](TaskId a, TaskId b) { return goes_before(session, preemptor, a, b); };
  Heap<TaskId, decltype(before)> heap(before);
  for (const TaskId victim : victims) heap.push(victim);
  std::vector<TaskId> ordered;
  while (!heap.empty()) ordered.push_back(heap.pop());
  return ordered;
}

}  // namespace basalt::engine
