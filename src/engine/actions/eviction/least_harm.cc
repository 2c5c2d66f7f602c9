// The least-harm search: try out evictions on several nodes, keep the smallest sufficient set on each, compare.
#include <algorithm>
#include <optional>
#include <tuple>

#include "engine/actions/eviction/preemption.h"
#include "engine/actions/eviction/victims.h"
#include "engine/core/node_search.h"
#include "engine/core/victim_order.h"

namespace basalt::actions {

using engine::Session;
using engine::Statement;
using model::NodeId;
using model::TaskId;

namespace {

struct Candidate {
  NodeId node;
  std::vector<TaskId> victims;  // most deserving first
};

void evict_all(Statement& statement, std::span<const TaskId> victims, TaskId task) {
  for (const TaskId victim : victims) statement.evict(victim, task, kPreempt);
}

// The smallest set of victims found on this node: first enough of the least deserving, then, most deserving first, each
// that turns out not to be needed is spared. The statement is unchanged afterwards.
std::optional<Candidate> try_out(Session& session, Statement& statement, TaskId task, NodeId node,
                                 const VictimTest& may_be_victim) {
  std::vector<TaskId> possible = session.preemptable(task, candidates_on(session, node, may_be_victim));
  if (possible.empty() || !room_after(session, task, node, possible)) return std::nullopt;
  // Switched off, what-if evictions do not reach the filters: what they refuse now they will refuse then.
  if (!session.hooks.filters_see_evictions && engine::filter_node(session, task, node) != engine::kFits) {
    return std::nullopt;
  }
  possible = engine::in_victim_order(session, task, possible);
  const auto before = statement.checkpoint();
  size_t needed = 0;
  bool fits = false;
  while (!fits && needed < possible.size()) {
    statement.evict(possible[needed++], task, kPreempt);
    fits = fits_after_eviction(session, task, node);
  }
  statement.rollback(before);
  if (!fits) return std::nullopt;
  std::vector<TaskId> kept(possible.begin(), possible.begin() + static_cast<ptrdiff_t>(needed));
  std::reverse(kept.begin(), kept.end());
  for (size_t i = 0; i < kept.size();) {
    std::vector<TaskId> fewer = kept;
    fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(i));
    evict_all(statement, fewer, task);
    const bool spare = fits_after_eviction(session, task, node);
    statement.rollback(before);
    if (spare) {
      kept = std::move(fewer);
    } else {
      ++i;
    }
  }
  if (kept.empty()) return std::nullopt;
  return Candidate{.node = node, .victims = std::move(kept)};
}

// Smaller is better, compared in this order; nodes come by name, so the first of equals wins.
auto harm(const Session& session, const Candidate& candidate) {
  constexpr int64_t kShift = int64_t{1} << 31U;  // makes every priority positive, so that fewer victims sum to less
  int64_t highest = session.state.task(candidate.victims.front()).pod_priority;
  int64_t sum = 0;
  int64_t top = INT64_MIN;
  Instant earliest = session.now;
  for (const TaskId victim : candidate.victims) {
    const model::Task& task = session.state.task(victim);
    const Instant started = task.started.is_set() ? task.started : session.now;
    sum += task.pod_priority + kShift;
    if (task.pod_priority > top || (task.pod_priority == top && started < earliest)) earliest = started;
    top = std::max<int64_t>(top, task.pod_priority);
  }
  return std::tuple(highest, sum, candidate.victims.size(), -earliest.nanos);
}

size_t wanted_candidates(const PreemptOptions& options, size_t nodes) {
  const auto count = static_cast<int64_t>(nodes);
  const int64_t wanted = std::min(std::max(count * options.min_percent / 100, options.min_nodes), options.max_nodes);
  return static_cast<size_t>(std::clamp<int64_t>(wanted, 0, count));
}

}  // namespace

bool preempt_with_least_harm(Session& session, Statement& statement, TaskId task, const engine::NodeColumn& column,
                             const VictimTest& may_be_victim, const PreemptOptions& options) {
  const size_t wanted = wanted_candidates(options, column.not_refused());
  std::optional<Candidate> best;
  size_t found = 0;
  column.any_by_name(session.columns(), [&](NodeId node) {
    if (found >= wanted) return true;
    auto candidate = try_out(session, statement, task, node, may_be_victim);
    if (!candidate) return false;
    ++found;
    if (!best || harm(session, *candidate) < harm(session, *best)) best = std::move(candidate);
    return false;
  });
  if (!best) return false;
  evict_all(statement, best->victims, task);
  statement.pipeline(task, best->node, /*evicted=*/true);
  return true;
}

}  // namespace basalt::actions
