// One class of tasks against all nodes: may it run there, how good is it, which node is best.
//
// A column lives across cycles. sync() brings it up to date by looking again only at nodes touched since (touch_log.h);
// a class whose answers reach across nodes (pod affinity, spread) is computed anew when anything was touched.
//
// Rows are by rank: position in name order. For each row:
//   availability  Idle: fits now · Future: fits once releasing resources are free · Out: refused, see verdict
//   total         Σ local scores + Σ weight · scaled scores, scaled over the candidates
// Candidates are the rows of the best availability that any row has: nodes with room now, else nodes with room soon.
//
// A column for eviction (its maker gives a RoomTest) asks another question: on which nodes may evicting pods make room?
// Resources do not count, and filters refuse a row only for good. All rows that are not refused are candidates:
//   availability  Idle: the RoomTest passes · Future: it does not, so that nothing is to be had there now
//
// Reference implementation: a NodeColumn rebuilt from scratch must equal a synced one (tests/property).
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/core/best_tree.h"
#include "engine/core/hook_table.h"
#include "engine/model/cluster_state.h"

namespace basalt::engine {

enum class Availability : uint8_t { Out = 0, Future = 1, Idle = 2 };

// What a column needs to evaluate rows. Valid for one cycle.
struct ColumnContext {
  const model::ClusterState& state;
  const HookTable& hooks;
  VerdictTable& verdicts;
  std::span<const NodeId> by_rank;
  std::span<const uint32_t> rank_of;  // by NodeId
};

// Whether there is room on the node, or somebody who could be evicted. Looks at the node alone: what changes its answer
// touches the node.
using RoomTest = std::function<bool(NodeId)>;

class NodeColumn {
 public:
  NodeColumn() = default;
  explicit NodeColumn(RoomTest has_room) : has_room_(std::move(has_room)) {}

  // Brings every row up to date for tasks like `task`. Cost: O(touched · log n), or O(n) after a larger change.
  void sync(const ColumnContext& context, TaskId task);

  // The best candidate, or nothing. Valid after sync().
  struct Choice {
    NodeId node;
    Availability availability = Availability::Out;
    double score = 0;
  };
  [[nodiscard]] std::optional<Choice> best(const ColumnContext& context) const;
  // Nodes that are Idle, until visit(NodeId) returns true; tells whether it did. Best first: O(log n) a node.
  template <class Visit>
  bool any_by_score(const ColumnContext& context, Visit visit) const;
  // The same by name. Cost: a byte a node that is not.
  template <class Visit>
  bool any_by_name(const ColumnContext& context, Visit visit) const;

  [[nodiscard]] size_t not_refused() const { return size_t{availability_counts_[1]} + availability_counts_[2]; }
  [[nodiscard]] bool any_fits() const { return not_refused() > 0; }
  // How many nodes were refused with which verdict.
  [[nodiscard]] std::span<const uint32_t> verdict_counts() const { return verdict_counts_; }
  [[nodiscard]] std::span<const VerdictId> verdicts() const { return verdict_; }
  [[nodiscard]] std::span<const Availability> availabilities() const { return availability_; }
  [[nodiscard]] std::span<const double> totals() const { return total_; }
  [[nodiscard]] uint64_t evaluations() const { return evaluations_; }  // rows looked at so far
  [[nodiscard]] size_t bytes() const;

 private:
  // A scaled score. While every row that fits has the same raw value, that one value stands for all rows, and min and
  // max are that value whoever the candidates are.
  struct Part {
    bool flat = true;
    int64_t flat_raw = 0;
    std::vector<int64_t> raw;
    int64_t min = 0, max = 0;
    uint32_t at_min = 0, at_max = 0;  // candidates with that raw value
  };

  void rebuild(const ColumnContext& context, TaskId task);
  void refresh_row(const ColumnContext& context, TaskId task, uint32_t rank);
  void settle(const ColumnContext& context, TaskId task);
  void judge_resources(const ColumnContext& context, const model::PodShape& shape, uint32_t rank);
  void fill_scores(const ColumnContext& context, TaskId task);
  void fill_part(const ColumnContext& context, TaskId task, size_t part, std::span<const NodeId> nodes,
                 std::span<const uint32_t> ranks);
  void rescale(const ColumnContext& context);
  void set_extremes(Part& part);
  [[nodiscard]] bool leave_candidates(uint32_t rank);
  [[nodiscard]] bool enter_candidates(uint32_t rank);
  [[nodiscard]] double total_of(const ColumnContext& context, uint32_t rank) const;
  [[nodiscard]] int64_t raw_of(const Part& part, uint32_t rank) const {
    return part.flat ? part.flat_raw : part.raw[rank];
  }
  void count_verdict(VerdictId verdict, int32_t by);
  [[nodiscard]] bool score_row(const ColumnContext& context, TaskId task, uint32_t rank);
  [[nodiscard]] Availability candidate_availability() const;
  [[nodiscard]] bool is_candidate(uint32_t rank) const {
    return has_room_ ? availability_[rank] != Availability::Out : availability_[rank] == candidates_;
  }
  [[nodiscard]] bool refused(const ColumnContext& context, VerdictId verdict) const {
    return verdict != kFits && (!has_room_ || context.verdicts.fit(verdict) == Fit::Never);
  }
  [[nodiscard]] bool better(uint32_t a, uint32_t b) const {
    if (availability_[a] != availability_[b]) return availability_[b] > availability_[a];
    return total_[b] > total_[a];
  }

  RoomTest has_room_;  // none: a column for placement
  bool built_ = false;
  bool scored_ = false;
  bool reaches_cluster_ = false;
  uint64_t synced_to_ = 0;
  uint64_t node_set_version_ = 0;
  uint64_t pod_terms_version_ = 0;
  uint64_t evaluations_ = 0;
  Availability candidates_ = Availability::Out;
  std::vector<VerdictId> verdict_;
  std::vector<Availability> availability_;
  std::array<uint32_t, 3> availability_counts_{};
  std::vector<uint32_t> verdict_counts_;
  std::vector<double> local_;
  std::vector<double> total_;
  std::vector<Part> parts_;
  BestTree tree_;
  std::vector<uint32_t> changed_;  // ranks being refreshed by the current sync()
  bool extremes_moved_ = false;
};

template <class Visit>
bool NodeColumn::any_by_score(const ColumnContext& context, Visit visit) const {
  if (availability_counts_[static_cast<size_t>(Availability::Idle)] == 0) return false;
  bool done = false;
  tree_.visit_in_order([this](uint32_t a, uint32_t b) { return better(a, b); },
                       [&](uint32_t rank) {
                         if (availability_[rank] != Availability::Idle) return true;
                         done = visit(context.by_rank[rank]);
                         return done;
                       });
  return done;
}

template <class Visit>
bool NodeColumn::any_by_name(const ColumnContext& context, Visit visit) const {
  if (availability_counts_[static_cast<size_t>(Availability::Idle)] == 0) return false;
  const Availability* const first = availability_.data();
  const Availability* const end = first + availability_.size();
  for (const Availability* at = first; at != end; ++at) {
    at = static_cast<const Availability*>(
        std::memchr(at, static_cast<int>(Availability::Idle), static_cast<size_t>(end - at)));
    if (at == nullptr) return false;
    if (visit(context.by_rank[static_cast<size_t>(at - first)])) return true;
  }
  return false;
}

}  // namespace basalt::engine
