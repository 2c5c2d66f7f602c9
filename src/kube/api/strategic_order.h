// The order of lists that a strategic merge patch has touched.
//
// Elements are told apart by their merge key, plain values by themselves. Cost: O(n log n) for n elements.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "kube/text/json.h"

namespace basalt::api {

// Where each element stands in a list, by merge key ("" for plain values): the first of equals.
class Positions {
 public:
  // Requires: `key` outlives this.
  Positions(const text::Array& list, std::string_view key) : key_(key) {
    for (size_t i = 0; i < list.size(); ++i) add(list[i], i);
  }
  void add(const text::Value& element, size_t index) {
    if (const text::Value* id = id_of(element)) by_id_.emplace(text::to_json(*id), index);
  }
  [[nodiscard]] std::optional<size_t> find(const text::Value& element) const {
    const text::Value* id = id_of(element);
    if (id == nullptr) return std::nullopt;
    const auto found = by_id_.find(text::to_json(*id));
    return found == by_id_.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] const text::Value* id_of(const text::Value& element) const {
    return key_.empty() ? &element : text::find_member(element, key_);
  }

 private:
  std::string_view key_;
  std::map<std::string, size_t> by_id_;  // ordered: who writes the keys must not choose how long a search takes
};

// `merged` with the elements that the patch speaks of in the sequence of `order`; those that only the server knows keep
// their place among them as far as `live_order` says.
[[nodiscard]] text::Array ordered(text::Array merged, const Positions& order, const Positions& live_order);

}  // namespace basalt::api
