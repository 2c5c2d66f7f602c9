#include "engine/actions/eviction/preemption.h"

#include <algorithm>
#include <numeric>

#include "engine/actions/eviction/victims.h"
#include "engine/core/node_search.h"
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

bool preempt_on_best_node(Session& session, Statement& statement, TaskId task, const VictimTest& may_be_victim) {
  const std::vector<NodeId> nodes = engine::nodes_worth_evicting_on(session, task);
  const std::vector<double> scores = engine::score_nodes(session, task, nodes);
  std::vector<size_t> order(nodes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  return std::any_of(order.begin(), order.end(),
                     [&](size_t i) { return try_node(session, statement, task, nodes[i], may_be_victim); });
}

}  // namespace basalt::actions
