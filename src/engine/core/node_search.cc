#include "engine/core/node_search.h"

#include <algorithm>
#include <limits>
#include <map>

namespace basalt::engine {

VerdictId pre_filter(Session& session, TaskId task) {
  for (const auto& entry : session.hooks.pre_filter.entries) {
    if (const VerdictId verdict = entry.hook(task); verdict != kFits) return verdict;
  }
  return kFits;
}

std::optional<NodeColumn::Choice> best_node(Session& session, TaskId task) {
  const ColumnContext context = session.columns();
  return session.memory.classes.column(context, task).best(context);
}

std::optional<NodeColumn::Choice> nominated_node(Session& session, TaskId task) {
  const NodeId node = session.state.task(task).nominated;
  if (!node.valid()) return std::nullopt;
  const model::Demand& request = session.state.shape_of(task).request;
  if (!model::fits(request, session.state.future_idle(node))) return std::nullopt;
  if (filter_node(session, task, node) != kFits) return std::nullopt;
  const bool now = model::fits(request, session.state.idle(node));
  return NodeColumn::Choice{.node = node, .availability = now ? Availability::Idle : Availability::Future, .score = 0};
}

namespace {

std::vector<VerdictId> filter_nodes(Session& session, TaskId task, std::span<const NodeId> nodes) {
  std::vector<VerdictId> verdicts(nodes.size(), kFits);
  for (const auto& entry : session.hooks.filter.entries) {
    entry.hook({.task = task, .nodes = nodes, .verdicts = verdicts});
  }
  return verdicts;
}

template <class Keep>
std::vector<NodeId> nodes_where(Session& session, TaskId task, Keep keep) {
  const auto all = session.memory.classes.by_rank();
  const std::vector<VerdictId> verdicts = filter_nodes(session, task, all);
  std::vector<NodeId> kept;
  for (size_t i = 0; i < all.size(); ++i) {
    if (keep(verdicts[i])) kept.push_back(all[i]);
  }
  return kept;
}

}  // namespace

VerdictId filter_node(Session& session, TaskId task, NodeId node) {
  return filter_nodes(session, task, std::span(&node, 1)).front();
}

std::vector<NodeId> nodes_worth_evicting_on(Session& session, TaskId task) {
  return nodes_where(session, task,
                     [&](VerdictId v) { return v == kFits || session.memory.verdicts.fit(v) == Fit::EvictMayHelp; });
}

std::vector<NodeId> nodes_passing_filters(Session& session, TaskId task) {
  return nodes_where(session, task, [](VerdictId v) { return v == kFits; });
}

std::vector<double> score_nodes(Session& session, TaskId task, std::span<const NodeId> nodes) {
  std::vector<double> totals(nodes.size(), 0);
  for (const auto& entry : session.hooks.score.entries) {
    entry.hook({.task = task, .nodes = nodes, .scores = totals});
  }
  std::vector<double> scaled(nodes.size(), 0);
  std::vector<int64_t> raw(nodes.size(), 0);
  for (const auto& [part, tier] : session.hooks.scaled_scores) {
    std::fill(raw.begin(), raw.end(), 0);
    part.raw({.task = task, .nodes = nodes, .raw = raw});
    int64_t min = std::numeric_limits<int64_t>::max();
    int64_t max = kIgnoredRaw;
    for (const int64_t value : raw) {
      if (value == kIgnoredRaw) continue;
      min = std::min(min, value);
      max = std::max(max, value);
    }
    if (max == kIgnoredRaw) min = max = 0;
    for (size_t i = 0; i < nodes.size(); ++i) scaled[i] += part.weight * part.scale(raw[i], min, max);
  }
  for (size_t i = 0; i < nodes.size(); ++i) totals[i] += scaled[i];
  return totals;
}

std::optional<NodeColumn::Choice> best_node_among(Session& session, TaskId task, std::span<const NodeId> nodes) {
  const model::PodShape& shape = session.state.shape_of(task);
  const std::vector<VerdictId> verdicts = filter_nodes(session, task, nodes);
  std::vector<NodeId> now;
  std::vector<NodeId> soon;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (verdicts[i] != kFits) continue;
    if (shape.best_effort || model::fits(shape.request, session.state.idle(nodes[i]))) {
      now.push_back(nodes[i]);
    } else if (model::fits(shape.request, session.state.future_idle(nodes[i]))) {
      soon.push_back(nodes[i]);
    }
  }
  const std::vector<NodeId>& candidates = now.empty() ? soon : now;
  if (candidates.empty()) return std::nullopt;
  const std::vector<double> scores = score_nodes(session, task, candidates);
  const auto best = std::max_element(scores.begin(), scores.end());  // the first of equals: the smallest name
  return NodeColumn::Choice{.node = candidates[static_cast<size_t>(best - scores.begin())],
                            .availability = now.empty() ? Availability::Future : Availability::Idle,
                            .score = *best};
}

FitFailure explain_failure(Session& session, TaskId task) {
  const ColumnContext context = session.columns();
  const NodeColumn& column = session.memory.classes.column(context, task);
  FitFailure failure;
  std::map<ReasonId, int32_t> counts;
  const auto by_verdict = column.verdict_counts();
  for (size_t v = 0; v < by_verdict.size(); ++v) {
    const auto nodes = static_cast<int32_t>(by_verdict[v]);
    if (nodes == 0) continue;
    failure.nodes += nodes;
    for (const ReasonId reason : session.memory.verdicts[static_cast<VerdictId>(v)].reasons) counts[reason] += nodes;
  }
  failure.reasons.assign(counts.begin(), counts.end());
  return failure;
}

FitFailure explain_pre_filter(Session& session, VerdictId verdict) {
  FitFailure failure;
  failure.nodes = static_cast<int32_t>(session.memory.classes.by_rank().size());
  for (const ReasonId reason : session.memory.verdicts[verdict].reasons) {
    failure.reasons.emplace_back(reason, failure.nodes);
  }
  return failure;
}

}  // namespace basalt::engine
