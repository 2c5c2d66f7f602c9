#include "engine/core/combine.h"

namespace basalt::engine {

namespace {

// Keeps the order of `kept`.
std::vector<TaskId> intersect(const std::vector<TaskId>& kept, const std::vector<TaskId>& other) {
  std::vector<TaskId> sorted = other;
  std::sort(sorted.begin(), sorted.end());
  std::vector<TaskId> both;
  for (const TaskId task : kept) {
    if (std::binary_search(sorted.begin(), sorted.end(), task)) both.push_back(task);
  }
  return both;
}

// Plugins that count (a gang's surplus, a budget, a queue's excess) choose some of the candidates, each in its own
// order. Asked about the same list, they would often choose different ones and agree on none, although enough could go;
// so each one is asked about what those before it left.
std::vector<TaskId> every_tier(const Slot<VictimHook, IntersectByTier>& slot, TaskId preemptor,
                               std::span<const TaskId> candidates) {
  std::vector<TaskId> left(candidates.begin(), candidates.end());
  bool anybody = false;
  for (const auto& entry : slot.entries) {
    std::vector<TaskId> answer;
    if (entry.hook(preemptor, left, answer) == Vote::Abstain) continue;
    anybody = true;
    left = intersect(left, answer);
    if (left.empty()) return {};
  }
  return anybody ? left : std::vector<TaskId>();
}

// One tier under Volcano's rule. Empty: undecided, the next tier is asked.
template <class Entries>
std::vector<TaskId> one_tier(const Entries& entries, size_t first, size_t last, TaskId preemptor,
                             std::span<const TaskId> candidates) {
  std::vector<TaskId> victims;
  for (size_t i = first; i < last; ++i) {
    std::vector<TaskId> answer;
    if (entries[i].hook(preemptor, candidates, answer) == Vote::Abstain) continue;
    if (answer.empty()) return {};
    victims = victims.empty() ? std::move(answer) : intersect(victims, answer);
  }
  return victims;
}

}  // namespace

std::vector<TaskId> intersect_by_tier(const Slot<VictimHook, IntersectByTier>& slot, VictimRule rule, TaskId preemptor,
                                      std::span<const TaskId> candidates) {
  if (rule == VictimRule::EveryTier) return every_tier(slot, preemptor, candidates);
  const auto& entries = slot.entries;
  for (size_t first = 0; first < entries.size();) {
    size_t last = first;
    while (last < entries.size() && entries[last].tier == entries[first].tier) ++last;
    if (std::vector<TaskId> victims = one_tier(entries, first, last, preemptor, candidates); !victims.empty()) {
      return victims;
    }
    first = last;
  }
  return {};
}

}  // namespace basalt::engine
