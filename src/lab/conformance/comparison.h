// Facts compared: what was recorded against what we did, level by level.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/text/json.h"

namespace basalt::lab {

// What a comparison found. Facts count one each, however large they are.
struct Comparison {
  int compared = 0;
  int equal = 0;
  std::vector<std::string> differences;  // one readable line per unequal fact

  void add(std::string_view fact, const text::Value& recorded, const text::Value& ours);
  void add(const Comparison& other);
  [[nodiscard]] bool all_equal() const { return compared == equal; }
};

// Equal as facts: lists as multisets, numbers by value (1e-9 relative for fractions), members of objects in any order.
[[nodiscard]] bool same_fact(const text::Value& recorded, const text::Value& ours);

// "a: want x, got y; only recorded: b=1; only ours: c=2; … 3 more". Cost: O(size of the facts).
[[nodiscard]] std::string describe_difference(const text::Value& recorded, const text::Value& ours);

}  // namespace basalt::lab
