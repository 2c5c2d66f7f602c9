#include "actions/eviction/victims.h"

#include <algorithm>

namespace basalt::actions {

using engine::Order;
using engine::Session;
using model::JobId;
using model::NodeId;
using model::TaskId;

std::vector<TaskId> candidates_on(const Session& session, NodeId node, const std::function<bool(TaskId)>& candidate) {
  std::vector<TaskId> tasks;
  for (const TaskId task : session.state.node(node).tasks) {
    if (candidate(task)) tasks.push_back(task);
  }
  std::sort(tasks.begin(), tasks.end(),
            [&](TaskId a, TaskId b) { return session.state.task(a).uid < session.state.task(b).uid; });
  return tasks;
}

bool room_after(const Session& session, TaskId task, NodeId node, std::span<const TaskId> victims) {
  const auto future = session.state.future_idle(node);
  for (const auto& [id, wanted] : session.state.shape_of(task).request) {
    model::Amount room = future[id.index()];
    for (const TaskId victim : victims) {
      for (const auto& [victim_id, held] : session.state.shape_of(victim).request) {
        if (victim_id == id) room += held;
      }
    }
    if (wanted > room) return false;
  }
  return true;
}

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

void order_victims(const Session& session, TaskId preemptor, std::vector<TaskId>& victims) {
  engine::Heap<TaskId, std::function<bool(TaskId, TaskId)>> heap(
      [&](TaskId a, TaskId b) { return goes_before(session, preemptor, a, b); });
  for (const TaskId victim : victims) heap.push(victim);
  victims.clear();
  while (!heap.empty()) victims.push_back(heap.pop());
}

}  // namespace basalt::actions
