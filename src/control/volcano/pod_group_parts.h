// What PodGroups of jobs and of other pods have in common: the arithmetic of minResources, and finding what changed.
#pragma once

#include <cstdint>

#include "kube/api/resource_list.h"
#include "kube/text/json.h"

namespace basalt::volcano {

// Adds what `count` pods with this spec use, in the names that quotas use; extended resources under their bare name
// too. Cost: O(containers · log count).
void add_pods(api::ResourceList& total, const text::Object& pod_spec, int64_t count);

// count · amount, cut to the bounds of quantities like any sum. Cost: O(log count).
[[nodiscard]] text::Quantity times(text::Quantity amount, int64_t count);

// The members of `wanted` that `current` lacks or has otherwise. With `whole`, null for those that it has too much.
// same(have, want) compares values.
template <class Same>
[[nodiscard]] text::Object map_change(const text::Object& wanted, const text::Object& current, bool whole, Same same) {
  text::Object change;
  for (const auto& member : wanted) {
    const text::Value* have = current.if_contains(member.key());
    if (have == nullptr || !same(*have, member.value())) change[member.key()] = member.value();
  }
  for (const auto& member : current) {
    if (whole && !wanted.contains(member.key())) change[member.key()] = nullptr;
  }
  return change;
}

[[nodiscard]] inline bool same_json(const text::Value& left, const text::Value& right) { return left == right; }
// As quantities: "1" and "1000m" are the same.
[[nodiscard]] bool same_amount(const text::Value& left, const text::Value& right);

}  // namespace basalt::volcano
