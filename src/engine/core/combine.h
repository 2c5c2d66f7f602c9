// The combination rules: one function each, tested once. A Slot's type says which one applies.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "engine/core/hook_table.h"

namespace basalt::engine {

// The first plugin that sees a difference decides; equivalent if none does.
template <class Sig, class... A>
Order first_nonzero(const Slot<Sig, FirstNonzero>& slot, A... args) {
  for (const auto& entry : slot.entries) {
    if (const Order order = entry.hook(args...); order != 0) return order;
  }
  return Order::equivalent;
}

template <class Sig, class... A>
bool all_of(const Slot<Sig, AllOf>& slot, A... args) {
  return std::all_of(slot.entries.begin(), slot.entries.end(), [&](const auto& e) { return e.hook(args...); });
}

template <class Sig, class... A>
bool any_of(const Slot<Sig, AnyOf>& slot, A... args) {
  return std::any_of(slot.entries.begin(), slot.entries.end(), [&](const auto& e) { return e.hook(args...); });
}

template <class Sig, class... A>
void notify(const Slot<Sig, Notify>& slot, A&... args) {
  for (const auto& entry : slot.entries) entry.hook(args...);
}

// A reject wins at once. A permit counts when its tier ends. If nobody has an opinion: yes.
template <class Sig, class... A>
bool vote_by_tier(const Slot<Sig, VoteByTier>& slot, A... args) {
  bool permitted = false;
  for (size_t i = 0; i < slot.entries.size(); ++i) {
    const Vote vote = slot.entries[i].hook(args...);
    if (vote == Vote::Reject) return false;
    permitted = permitted || vote == Vote::Permit;
    const bool tier_ends = i + 1 == slot.entries.size() || slot.entries[i + 1].tier != slot.entries[i].tier;
    if (tier_ends && permitted) return true;
  }
  return true;
}

// The first tier that has any hook decides by all-of. No hook at all: no.
template <class Sig, class... A>
bool first_tier_all(const Slot<Sig, FirstTierAll>& slot, A... args) {
  if (slot.entries.empty()) return false;
  const uint16_t tier = slot.entries.front().tier;
  for (const auto& entry : slot.entries) {
    if (entry.tier != tier) break;
    if (!entry.hook(args...)) return false;
  }
  return true;
}

// How victims of several plugins combine.
enum class VictimRule : uint8_t {
  // Every plugin of every tier has a veto: each is asked about the candidates that those before it left.
  EveryTier,
  // Volcano: the first tier that ends with victims decides alone, and an intersection that becomes empty counts as
  // "no answer yet", so that the next plugin of the tier starts afresh. Protection in lower tiers may never be asked.
  FirstTier,
};
std::vector<TaskId> intersect_by_tier(const Slot<VictimHook, IntersectByTier>& slot, VictimRule rule, TaskId preemptor,
                                      std::span<const TaskId> candidates);

}  // namespace basalt::engine
