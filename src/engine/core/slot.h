// A slot: the hooks of one extension point, in tier order, with the switch that governs it.
//
// A disabled hook is simply not in the vector, so calling a slot costs one indirect call per enabled plugin. How the
// answers combine is the rule named in the slot's type; combine.h has one function per rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/core/hook.h"
#include "engine/core/plugin_flags.h"

namespace basalt::engine {

template <class Signature, class Rule>
struct Slot {
  PluginFlag flag = PluginFlag::Always;
  struct Entry {
    Hook<Signature> hook;
    uint16_t tier = 0;
  };
  std::vector<Entry> entries;  // sorted by tier, then by position in the tier
};

// Tags of the combination rules.
struct FirstNonzero {};     // the first plugin that distinguishes the two decides
struct AllOf {};            // every plugin must agree
struct AnyOf {};            // one plugin suffices
struct FirstFailure {};     // the first refusal is the answer
struct VoteByTier {};       // a reject wins at once; a permit ends at its tier; nobody: yes
struct FirstTierAll {};     // the first tier with an opinion decides, by all-of; nobody: no
struct IntersectByTier {};  // victims, see combine.h
struct Sum {};
struct Notify {};

}  // namespace basalt::engine
