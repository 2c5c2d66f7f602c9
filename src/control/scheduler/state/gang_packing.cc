#include "control/scheduler/state/gang_packing.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace basalt::state {
namespace {

using model::Amount;
using Counts = std::vector<int32_t>;  // of pods, by shape

Amount room_for(const PackedNode& node, model::ResourceId id) {
  return id.index() < node.room.size() ? std::max<Amount>(0, node.room[id.index()]) : 0;
}

// How many more pods of the shape the rest of a node takes, at most `wanted`.
int32_t pods_into(const PackedShape& shape, std::span<const Amount> rest, int32_t wanted) {
  int64_t most = wanted;
  for (const auto& [id, amount] : shape.request) {
    if (amount > 0)
      most = std::min(most, (id.index() < rest.size() ? std::max<Amount>(0, rest[id.index()]) : 0) / amount);
  }
  return static_cast<int32_t>(most);
}

void take(const PackedShape& shape, int32_t pods, std::vector<Amount>& rest) {
  for (const auto& [id, amount] : shape.request) {
    if (id.index() < rest.size()) rest[id.index()] -= amount * pods;
  }
}

bool may_run(const PackedNode& node, size_t shape) { return (node.takes >> shape & 1U) != 0; }

bool packs_greedily(std::span<const PackedShape> shapes, std::span<const PackedNode> nodes) {
  Counts left;
  for (const PackedShape& shape : shapes) left.push_back(shape.count);
  for (const PackedNode& node : nodes) {
    std::vector<Amount> rest = node.room;
    for (size_t s = 0; s < shapes.size(); ++s) {
      if (left[s] == 0 || !may_run(node, s)) continue;
      const int32_t pods = pods_into(shapes[s], rest, left[s]);
      take(shapes[s], pods, rest);
      left[s] -= pods;
    }
  }
  return std::ranges::all_of(left, [](int32_t count) { return count == 0; });
}

bool covers(const Counts& large, const Counts& small) {
  return std::equal(large.begin(), large.end(), small.begin(), [](int32_t a, int32_t b) { return a >= b; });
}

// All ways at once: which numbers of pods can stand on the nodes looked at so far. Of two of which one has no more of
// any shape, the larger is enough.
class AllWays {
 public:
  explicit AllWays(std::span<const PackedShape> shapes) : shapes_(shapes), need_(shapes.size()) {
    for (size_t s = 0; s < shapes.size(); ++s) need_[s] = shapes[s].count;
    placed_.emplace_back(shapes.size(), 0);
  }
  // False: there are too many.
  bool add(const PackedNode& node) {
    const std::vector<Counts>* loads = loads_of(node);
    if (loads == nullptr) return false;
    if (loads->size() == 1 && std::ranges::all_of(loads->front(), [](int32_t count) { return count == 0; }))
      return true;
    std::set<Counts> sums;
    for (const Counts& before : placed_) {
      for (const Counts& load : *loads) {
        if (++steps_ > kMaxPackingSteps) return false;
        Counts sum(before);
        for (size_t s = 0; s < sum.size(); ++s) sum[s] = std::min(need_[s], sum[s] + load[s]);
        sums.insert(std::move(sum));
      }
    }
    return keep_largest(std::vector<Counts>(sums.begin(), sums.end()), placed_);
  }
  [[nodiscard]] bool is_complete() const { return std::ranges::find(placed_, need_) != placed_.end(); }
  [[nodiscard]] size_t steps() const { return steps_; }

 private:
  // What of a node counts: nodes that are alike in it take the same.
  using NodeClass = std::pair<uint64_t, std::vector<Amount>>;

  const std::vector<Counts>* loads_of(const PackedNode& node) {
    NodeClass its{node.takes, {}};
    for (const PackedShape& shape : shapes_) {
      for (const auto& [id, amount] : shape.request) its.second.push_back(room_for(node, id));
    }
    const auto known = loads_.find(its);
    if (known != loads_.end()) return &known->second;
    std::vector<Counts> found, largest;
    Counts load(shapes_.size(), 0);
    if (!fill(node, 0, node.room, load, found) || !keep_largest(std::move(found), largest)) return nullptr;
    return &loads_.emplace(std::move(its), std::move(largest)).first->second;
  }

  bool fill(const PackedNode& node, size_t s, const std::vector<Amount>& rest, Counts& load, std::vector<Counts>& out) {
    if (++steps_ > kMaxPackingSteps) return false;
    if (s == shapes_.size()) {
      out.push_back(load);
      return true;
    }
    const int32_t most = may_run(node, s) ? pods_into(shapes_[s], rest, need_[s]) : 0;
    // The last shape takes what is left.
    for (int32_t pods = most; pods >= (s + 1 == shapes_.size() ? most : 0); --pods) {
      std::vector<Amount> left = rest;
      take(shapes_[s], pods, left);
      load[s] = pods;
      if (!fill(node, s + 1, left, load, out)) return false;
    }
    return true;
  }

  bool keep_largest(std::vector<Counts> all, std::vector<Counts>& out) {
    out.clear();
    for (size_t i = 0; i < all.size(); ++i) {
      bool covered = false;
      for (size_t k = 0; k < all.size() && !covered; ++k) {
        if (++steps_ > kMaxPackingSteps) return false;
        covered = k != i && covers(all[k], all[i]) && (all[k] != all[i] || k < i);
      }
      if (!covered) out.push_back(all[i]);
    }
    return true;
  }

  std::span<const PackedShape> shapes_;
  Counts need_;
  std::vector<Counts> placed_;
  std::map<NodeClass, std::vector<Counts>> loads_;
  size_t steps_ = 0;
};

}  // namespace

Packing pack(std::span<const PackedShape> shapes, std::span<const PackedNode> nodes) {
  if (shapes.size() > kMaxPackedShapes) return {};
  const size_t rows = nodes.size() * std::max<size_t>(1, shapes.size());
  if (packs_greedily(shapes, nodes)) return {.packs = Packs::Yes, .steps = rows};
  AllWays ways(shapes);
  for (const PackedNode& node : nodes) {
    if (!ways.add(node)) return {.packs = Packs::Unknown, .steps = rows + ways.steps()};
    if (ways.is_complete()) return {.packs = Packs::Yes, .steps = rows + ways.steps()};
  }
  return {.packs = Packs::No, .steps = rows + ways.steps()};
}

}  // namespace basalt::state
