#include "kube/api/strategic_order.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace basalt::api {

using text::Array;
using text::Value;

Array ordered(Array merged, const Positions& order, const Positions& live_order) {
  struct Ranked {
    size_t rank;
    Value* value;
  };
  std::vector<Ranked> from_patch, server_only;
  for (Value& element : merged) {
    if (const auto rank = order.find(element)) {
      from_patch.push_back({*rank, &element});
    } else {
      server_only.push_back({live_order.find(element).value_or(merged.size()), &element});
    }
  }
  std::ranges::stable_sort(from_patch, {}, &Ranked::rank);
  std::ranges::stable_sort(server_only, {}, &Ranked::rank);
  Array out(merged.storage());
  out.reserve(merged.size());
  size_t left = 0;
  for (Ranked& element : from_patch) {
    const auto live_rank = live_order.find(*element.value);
    while (left < server_only.size() && live_rank && server_only[left].rank < *live_rank) {
      out.push_back(std::move(*server_only[left++].value));
    }
    out.push_back(std::move(*element.value));
  }
  while (left < server_only.size()) out.push_back(std::move(*server_only[left++].value));
  return out;
}

}  // namespace basalt::api
