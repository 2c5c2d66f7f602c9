#include "engine/actions/eviction/preemption.h"

#include "engine/actions/eviction/victims.h"
#include "engine/core/victim_order.h"

namespace basalt::actions {

using engine::Session;
using engine::Statement;
using model::NodeId;
using model::TaskId;

bool fits_after_eviction(Session& session, TaskId task, NodeId node) {
  const model::QueueId queue = session.state.job(session.state.task(task).job).queue_id;
  return session.allocatable(queue, task) && fits_in_future(session, task, node);
}

namespace {

bool try_node(Session& session, Statement& statement, TaskId task, NodeId node, const VictimTest& may_be_victim) {
  std::vector<TaskId> victims = session.preemptable(task, candidates_on(session, node, may_be_victim));
  if (!room_after(session, task, node, victims)) return false;
  victims = engine::in_victim_order(session, task, victims);
  return evict_until(statement, task, node, victims, kPreempt,
                     [&] { return fits_after_eviction(session, task, node); });
}

}  // namespace

bool preempt_on_best_node(Session& session, Statement& statement, TaskId task, const engine::NodeColumn& column,
                          const VictimTest& may_be_victim, FutileNodes& futile) {
  return column.any_by_score(session.columns(), [&](NodeId node) {
    return futile.search_unless_futile(
        node, [&](NodeId there) { return try_node(session, statement, task, there, may_be_victim); });
  });
}

}  // namespace basalt::actions
