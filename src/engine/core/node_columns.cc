#include "engine/core/node_columns.h"

#include <algorithm>
#include <limits>

#include "engine/core/combine.h"

namespace basalt::engine {

namespace {

void run_filters(const ColumnContext& context, const FilterCall& call) {
  for (const auto& entry : context.hooks.filter.entries) entry.hook(call);
}

}  // namespace

void NodeColumn::sync(const ColumnContext& context, TaskId task) {
  const model::TouchLog& log = context.state.touches();
  const bool stale_from_scratch = !built_ || synced_to_ < log.begin() ||
                                  node_set_version_ != context.state.node_set_version() ||
                                  pod_terms_version_ != context.state.pod_terms_version();
  if (stale_from_scratch || (reaches_cluster_ && synced_to_ != log.end())) {
    rebuild(context, task);
  } else if (synced_to_ != log.end()) {
    changed_.clear();
    extremes_moved_ = false;
    log.visit_since(synced_to_, [&](NodeId node) { changed_.push_back(context.rank_of[node.index()]); });
    for (const uint32_t rank : changed_) refresh_row(context, task, rank);
    settle(context, task);
  }
  synced_to_ = log.end();
}

// Sets availability and, for rows without room, the verdict. A best-effort class asks for no resources.
void NodeColumn::judge_resources(const ColumnContext& context, const model::PodShape& shape, uint32_t rank) {
  const NodeId node = context.by_rank[rank];
  Availability availability = Availability::Out;
  VerdictId verdict = kFits;
  if (has_room_) {
    availability = has_room_(node) ? Availability::Idle : Availability::Future;
  } else if (shape.best_effort || model::fits(shape.request, context.state.idle(node))) {
    availability = Availability::Idle;
  } else if (model::fits(shape.request, context.state.future_idle(node))) {
    availability = Availability::Future;
  } else {
    const model::ResourceId short_of = model::first_insufficient(shape.request, context.state.future_idle(node));
    verdict = context.verdicts.insufficient(short_of.index(), context.state.schema.name(short_of));
  }
  availability_[rank] = availability;
  verdict_[rank] = verdict;
}

void NodeColumn::count_verdict(VerdictId verdict, int32_t by) {
  if (verdict == kFits) return;
  if (verdict >= verdict_counts_.size()) verdict_counts_.resize(verdict + size_t{1}, 0);
  verdict_counts_[verdict] = static_cast<uint32_t>(static_cast<int32_t>(verdict_counts_[verdict]) + by);
}

void NodeColumn::rebuild(const ColumnContext& context, TaskId task) {
  const size_t rows = context.by_rank.size();
  verdict_.assign(rows, kFits);
  availability_.assign(rows, Availability::Out);
  availability_counts_ = {};
  verdict_counts_.clear();
  node_set_version_ = context.state.node_set_version();
  pod_terms_version_ = context.state.pod_terms_version();
  reaches_cluster_ = any_of(context.hooks.filter_reaches_cluster, task);
  for (const auto& scaled : context.hooks.scaled_scores) {
    reaches_cluster_ = reaches_cluster_ || scaled.part.reach(task) == Reach::Cluster;
  }
  const model::PodShape& shape = context.state.shape_of(task);
  std::vector<NodeId> nodes;
  std::vector<uint32_t> ranks;
  for (uint32_t rank = 0; rank < rows; ++rank) {
    judge_resources(context, shape, rank);
    if (availability_[rank] == Availability::Out) continue;
    nodes.push_back(context.by_rank[rank]);
    ranks.push_back(rank);
  }
  std::vector<VerdictId> verdicts(nodes.size(), kFits);
  run_filters(context, {.task = task, .nodes = nodes, .verdicts = verdicts});
  for (size_t i = 0; i < ranks.size(); ++i) {
    verdict_[ranks[i]] = verdicts[i];
    if (refused(context, verdicts[i])) availability_[ranks[i]] = Availability::Out;
  }
  for (uint32_t rank = 0; rank < rows; ++rank) {
    ++availability_counts_[static_cast<size_t>(availability_[rank])];
    count_verdict(verdict_[rank], +1);
  }
  evaluations_ += rows;
  built_ = true;
  scored_ = false;
  if (any_fits()) fill_scores(context, task);
}

// Scores of all rows that fit; from here on the column keeps them current.
void NodeColumn::fill_scores(const ColumnContext& context, TaskId task) {
  std::vector<NodeId> nodes;
  std::vector<uint32_t> ranks;
  const Availability best = candidate_availability();
  for (uint32_t rank = 0; rank < availability_.size(); ++rank) {
    if (availability_[rank] == Availability::Out) continue;
    // A score that looks across nodes looks at the candidates only; others are asked when the column is built anew.
    if (reaches_cluster_ && !has_room_ && availability_[rank] != best) continue;
    nodes.push_back(context.by_rank[rank]);
    ranks.push_back(rank);
  }
  local_.assign(availability_.size(), 0);
  total_.assign(availability_.size(), 0);
  std::vector<double> scores(nodes.size(), 0);
  for (const auto& entry : context.hooks.score.entries) {
    entry.hook({.task = task, .nodes = nodes, .scores = scores});
  }
  for (size_t i = 0; i < ranks.size(); ++i) local_[ranks[i]] = scores[i];
  parts_.assign(context.hooks.scaled_scores.size(), Part());
  for (size_t p = 0; p < parts_.size(); ++p) fill_part(context, task, p, nodes, ranks);
  scored_ = true;
  rescale(context);
}

void NodeColumn::fill_part(const ColumnContext& context, TaskId task, size_t index, std::span<const NodeId> nodes,
                           std::span<const uint32_t> ranks) {
  Part& part = parts_[index];
  std::vector<int64_t> raw(nodes.size(), 0);
  context.hooks.scaled_scores[index].part.raw({.task = task, .nodes = nodes, .raw = raw});
  part.flat = std::adjacent_find(raw.begin(), raw.end(), std::not_equal_to<>()) == raw.end();
  if (part.flat) {
    part.flat_raw = raw.empty() ? 0 : raw.front();
    part.min = part.max = part.flat_raw == kIgnoredRaw ? 0 : part.flat_raw;
    part.raw.clear();
    return;
  }
  part.raw.assign(availability_.size(), 0);
  for (size_t i = 0; i < ranks.size(); ++i) part.raw[ranks[i]] = raw[i];
}

Availability NodeColumn::candidate_availability() const {
  if (availability_counts_[static_cast<size_t>(Availability::Idle)] > 0) return Availability::Idle;
  return availability_counts_[static_cast<size_t>(Availability::Future)] > 0 ? Availability::Future : Availability::Out;
}

void NodeColumn::set_extremes(Part& part) {
  part.min = std::numeric_limits<int64_t>::max();
  part.max = kIgnoredRaw;
  part.at_min = part.at_max = 0;
  for (uint32_t rank = 0; rank < availability_.size(); ++rank) {
    if (!is_candidate(rank)) continue;
    const int64_t raw = part.raw[rank];
    if (raw == kIgnoredRaw) continue;
    if (raw < part.min) part.min = raw, part.at_min = 0;
    if (raw > part.max) part.max = raw, part.at_max = 0;
    if (raw == part.min) ++part.at_min;
    if (raw == part.max) ++part.at_max;
  }
  if (part.max == kIgnoredRaw) part.min = part.max = 0;
}

// The candidates or their extremes changed: every total follows.
void NodeColumn::rescale(const ColumnContext& context) {
  candidates_ = candidate_availability();
  for (Part& part : parts_) {
    if (!part.flat) set_extremes(part);
  }
  for (uint32_t rank = 0; rank < availability_.size(); ++rank) {
    if (availability_[rank] != Availability::Out) total_[rank] = total_of(context, rank);
  }
  tree_.build(availability_.size(), [this](uint32_t a, uint32_t b) { return better(a, b); });
}

double NodeColumn::total_of(const ColumnContext& context, uint32_t rank) const {
  double scaled = 0;
  for (size_t p = 0; p < parts_.size(); ++p) {
    const ScaledScore& score = context.hooks.scaled_scores[p].part;
    scaled += score.weight * score.scale(raw_of(parts_[p], rank), parts_[p].min, parts_[p].max);
  }
  return local_[rank] + scaled;
}

// Returns whether the extremes may have moved.
bool NodeColumn::leave_candidates(uint32_t rank) {
  if (!is_candidate(rank)) return false;
  bool moved = false;
  for (Part& part : parts_) {
    if (part.flat || part.raw[rank] == kIgnoredRaw) continue;
    const int64_t raw = part.raw[rank];
    if (raw == part.min && --part.at_min == 0) moved = true;
    if (raw == part.max && --part.at_max == 0) moved = true;
  }
  return moved;
}

bool NodeColumn::enter_candidates(uint32_t rank) {
  if (!is_candidate(rank)) return false;
  bool moved = false;
  for (Part& part : parts_) {
    if (part.flat || part.raw[rank] == kIgnoredRaw) continue;
    const int64_t raw = part.raw[rank];
    if (part.at_min == 0 || part.at_max == 0 || raw < part.min || raw > part.max) {
      moved = true;
      continue;
    }
    if (raw == part.min) ++part.at_min;
    if (raw == part.max) ++part.at_max;
  }
  return moved;
}

// Returns whether a part stopped being flat.
bool NodeColumn::score_row(const ColumnContext& context, TaskId task, uint32_t rank) {
  bool unflattened = false;
  const NodeId node = context.by_rank[rank];
  local_[rank] = 0;
  for (const auto& entry : context.hooks.score.entries) {
    entry.hook({.task = task, .nodes = {&node, 1}, .scores = {&local_[rank], 1}});
  }
  for (size_t p = 0; p < parts_.size(); ++p) {
    Part& part = parts_[p];
    int64_t raw = 0;
    context.hooks.scaled_scores[p].part.raw({.task = task, .nodes = {&node, 1}, .raw = {&raw, 1}});
    if (part.flat && raw != part.flat_raw) {  // no longer flat: give every row its own cell
      part.raw.assign(availability_.size(), part.flat_raw);
      part.flat = false;
      unflattened = true;
    }
    if (!part.flat) part.raw[rank] = raw;
  }
  return unflattened;
}

void NodeColumn::refresh_row(const ColumnContext& context, TaskId task, uint32_t rank) {
  ++evaluations_;
  if (scored_ && leave_candidates(rank)) extremes_moved_ = true;
  --availability_counts_[static_cast<size_t>(availability_[rank])];
  count_verdict(verdict_[rank], -1);
  judge_resources(context, context.state.shape_of(task), rank);
  if (availability_[rank] != Availability::Out) {
    const NodeId node = context.by_rank[rank];
    run_filters(context, {.task = task, .nodes = {&node, 1}, .verdicts = {&verdict_[rank], 1}});
    if (refused(context, verdict_[rank])) availability_[rank] = Availability::Out;
  }
  ++availability_counts_[static_cast<size_t>(availability_[rank])];
  count_verdict(verdict_[rank], +1);
  if (!scored_) return;
  if (availability_[rank] != Availability::Out && score_row(context, task, rank)) extremes_moved_ = true;
  if (enter_candidates(rank)) extremes_moved_ = true;
}

// After rows were refreshed: totals and the tree follow, only at those rows if the scales did not move.
void NodeColumn::settle(const ColumnContext& context, TaskId task) {
  if (!scored_) {
    if (any_fits()) fill_scores(context, task);
    return;
  }
  const bool all_flat = std::all_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.flat; });
  if (extremes_moved_ || (!all_flat && !has_room_ && candidates_ != candidate_availability())) {
    rescale(context);
    return;
  }
  candidates_ = candidate_availability();  // flat parts score the same whoever the candidates are
  for (const uint32_t rank : changed_) {
    if (availability_[rank] != Availability::Out) total_[rank] = total_of(context, rank);
  }
  tree_.update(changed_, [this](uint32_t a, uint32_t b) { return better(a, b); });
}

std::optional<NodeColumn::Choice> NodeColumn::best(const ColumnContext& context) const {
  if (!any_fits()) return std::nullopt;
  const uint32_t rank = tree_.best();
  return Choice{.node = context.by_rank[rank], .availability = availability_[rank], .score = total_[rank]};
}

size_t NodeColumn::bytes() const {
  size_t bytes = sizeof(NodeColumn) + verdict_.capacity() * sizeof(VerdictId) + availability_.capacity() +
                 (local_.capacity() + total_.capacity()) * sizeof(double) + tree_.bytes();
  for (const Part& part : parts_) bytes += part.raw.capacity() * sizeof(int64_t);
  return bytes;
}

}  // namespace basalt::engine
